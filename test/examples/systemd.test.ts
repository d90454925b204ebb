import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DOC_BLOCKS } from '../support/docs/doc-blocks.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { describeIf, hasProgram } from '../support/run/skip.ts'

const ROOT = join(import.meta.dirname, '../..')
const README = '../examples/systemd/README.md'

/** The figure that README.md beside the units names: 0 is the least exposed, 10 the most. */
const EXPOSURE = 2.5

type Unit = readonly [file: string, name: string]
const WHOLE: Unit = ['tidemark.service', 'tidemark.service']
const PART: Unit = ['tidemark@.service', 'tidemark@api.service']

/** Returns what systemd finds wrong with a unit that has these lines at the end of its section Service. */
async function verify(folder: string, [file, name]: Unit, lines = '') {
  const unit = await readFile(join(ROOT, 'examples/systemd', file), 'utf8')
  // The program has to exist where the unit says, so here it is that of this repository.
  const found = unit.replace('ExecStart=tidemark ', `ExecStart=${join(ROOT, 'tidemark')} `)
  const path = join(folder, name)
  await writeFile(path, found.replace('\n[Install]', `${lines}\n\n[Install]`))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  // Lines about other units of this machine are not about this one.
  const faults = stderr.split('\n').filter((line) => line.includes('tidemark') && !line.includes('systemd-analyze'))
  return { path, status, faults }
}

describeIf(hasProgram('systemd-analyze'), 'install systemd')('the units for systemd', () => {
  test.each([WHOLE, PART])('%s is accepted, and exposed no more than README.md says', async (...unit) => {
    await using folder = await temporaryFolder()
    const { path, ...verdict } = await verify(folder.path, unit)
    expect(verdict).toEqual({ status: 0, faults: [] })
    const security = spawnSync('systemd-analyze', ['security', '--offline=true', path], { encoding: 'utf8' })
    const [, exposure = ''] = /Overall exposure level for \S+: ([\d.]+)/.exec(security.stdout) ?? []
    expect(Number(exposure)).toBeGreaterThan(0)
    expect(Number(exposure)).toBeLessThanOrEqual(EXPOSURE)
    expect(await readFile(join(ROOT, 'examples/systemd/README.md'), 'utf8')).toContain(` ${EXPOSURE} of 10`)
  })

  test('the lines of README.md are accepted, those for 253 from there on', async () => {
    await using folder = await temporaryFolder()
    const blocks = DOC_BLOCKS.filter(({ page, language }) => page === README && language === 'ini')
    expect(blocks).toHaveLength(2)
    const [, version = ''] = /^systemd (\d+)/.exec(spawnSync('systemd-analyze', ['--version']).stdout.toString()) ?? []
    for (const { text } of blocks) {
      const { faults } = await verify(folder.path, WHOLE, text.replace('[Service]', ''))
      const isUnknown = text.includes('notify-reload') && Number(version) < 253
      expect(faults).toEqual(isUnknown ? [expect.stringContaining('notify-reload')] : [])
    }
  })
})
