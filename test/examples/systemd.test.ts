import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { describeIf, hasProgram } from '../support/run/skip.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The figure that README.md beside the units names: 0 is the least exposed, 10 the most. */
const EXPOSURE = 2.5

describeIf(hasProgram('systemd-analyze'), 'install systemd')('the units for systemd', () => {
  test.each([
    ['tidemark.service', 'tidemark.service'],
    ['tidemark@.service', 'tidemark@api.service'],
  ])('%s is accepted, and exposed no more than README.md says', async (file, name) => {
    await using folder = await temporaryFolder()
    const unit = await readFile(join(ROOT, 'examples/systemd', file), 'utf8')
    // The program has to exist where the unit says, so here it is that of this repository.
    const path = join(folder.path, name)
    await writeFile(path, unit.replace('ExecStart=tidemark ', `ExecStart=${join(ROOT, 'tidemark')} `))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    // Lines about other units of this machine are not about this one.
    expect(stderr.split('\n').filter((line) => line.includes('tidemark') && !line.includes('systemd-analyze'))).toEqual(
      [],
    )
    expect(status).toBe(0)
    const security = spawnSync('systemd-analyze', ['security', '--offline=true', path], { encoding: 'utf8' })
    const [, exposure = ''] = /Overall exposure level for \S+: ([\d.]+)/.exec(security.stdout) ?? []
    expect(Number(exposure)).toBeGreaterThan(0)
    expect(Number(exposure)).toBeLessThanOrEqual(EXPOSURE)
    expect(await readFile(join(ROOT, 'examples/systemd/README.md'), 'utf8')).toContain(` ${EXPOSURE} of 10`)
  })
})
