import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const REPOSITORY = join(import.meta.dirname, '../..')
const SUPPORT = join(REPOSITORY, 'test/support')

const FILES: Record<string, string> = {
  'vitest.config.mjs': `
import { SECOND_TRY } from '${SUPPORT}/run/second-try.ts'
import { TallyReporter } from '${SUPPORT}/run/tally-reporter.ts'
export default {
  test: {
    setupFiles: ['${SUPPORT}/run/leak-guard.ts'],
    reporters: ['default', new TallyReporter()],
    isolate: false,
    retry: SECOND_TRY,
    experimental: { viteModuleRunner: false },
  },
}
`,
  'clean.test.ts': `
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
test('closes what it opens', async () => {
  const server = createServer().listen(0)
  await new Promise((resolve) => server.close(resolve))
  expect(1).toBe(1)
})
test('fails', () => { expect(1).toBe(2) })
`,
  'leaky.test.ts': `
import { createServer } from 'node:net'
import { test } from 'vitest'
test('leaves a server open', () => { createServer().listen(0) })
`,
  'ticking.test.ts': `
import { test } from 'vitest'
test('leaves a timer running', () => { setInterval(() => undefined, 1000) })
`,
  'unprepared.test.ts': `
import { beforeAll, describe, expect, test } from 'vitest'
describe('unprepared', () => {
  beforeAll(() => { throw new Error('no room') })
  test('runs', () => { expect(1).toBe(1) })
  test('runs again', () => { expect(1).toBe(1) })
})
`,
  'hurried.test.ts': `
import { expect, test } from 'vitest'
import { eventually } from '${SUPPORT}/run/eventually.ts'
const tries = { wait: 0, statement: 0, never: 0, wrong: 0 }
const soon = { forMs: 0 }
test('waits', () => eventually(() => ++tries.wait > 1, Boolean, soon))
test('asks', () => {
  if (++tries.statement < 2) throw new Error('Statement has been cancelled due to a statement_timeout.')
})
test('takes for ever', () => new Promise((resolve) => { if (++tries.never > 1) resolve() }), 50)
test('never comes', () => eventually(() => 'no', (seen) => seen === 'yes', soon))
test('is wrong once', () => { expect(++tries.wrong).toBe(2) })
`,
  'choosy.test.ts': `
import { expect, test } from 'vitest'
import { describeIf } from '${SUPPORT}/run/skip.ts'
describeIf(false, 'install the moon')('on the moon', () => { test('shines', () => { expect(1).toBe(1) }) })
`,
}

let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-support-'))
  await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(root, name), text)
})

afterAll(() => rm(root, { recursive: true, force: true }))

interface VitestRun {
  code: number | null
  output: string
}

function runVitest(files: string[], ci: 'true' | 'false', tally?: string): Promise<VitestRun> {
  const args = [join(REPOSITORY, 'node_modules/vitest/vitest.mjs'), 'run', '--root', root, ...files]
  // Not our own environment: it tells the runner inside that it is a worker of ours.
  const env = {
    PATH: process.env['PATH'],
    CI: ci,
    NO_COLOR: '1',
    TIDEMARK_TEST_LEAK_MS: '1000',
    ...(tally && { TIDEMARK_TEST_TALLY: tally }),
  }
  // Both outputs are one pipe, as in CI: the lines of two may be read in another order.
  const shell = ['-c', 'exec "$0" "$@" 2>&1', process.execPath, ...args]
  const child = spawn('sh', shell, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output }))
  })
}

describe('a run of the tests', () => {
  test('ends with one plain line that counts what passed and failed', async () => {
    const { code, output } = await runVitest(['clean.test.ts'], 'false')
    expect(output.trimEnd().split('\n').at(-1)).toBe('1 passed, 1 failed')
    expect(code).toBe(1)
  })

  test('that is one of several adds its count to theirs, and says no line of its own', async () => {
    const tally = join(root, 'tally')
    await writeFile(tally, '7 0 0\n')
    const { output } = await runVitest(['clean.test.ts'], 'false', tally)
    expect(await readFile(tally, 'utf8')).toBe('7 0 0\n1 1 0\n')
    expect(await readFile(`${tally}.failures`, 'utf8')).toBe(
      'FAIL clean.test.ts > fails\n  expected 1 to be 2 // Object.is equality\n',
    )
    expect(output).not.toMatch(/^\d+ passed, /m)
  })

  test('tries a second time what waited in vain, and nothing else, and names what passes then', async () => {
    const tally = join(root, 'tally-of-waits')
    const { output } = await runVitest(['hurried.test.ts'], 'true')
    expect(output.trimEnd().split('\n').at(-1)).toBe('3 passed, 2 failed')
    expect(output).toContain('PASSED ON THE SECOND TRY hurried.test.ts > waits\n  still not so after 0 ms: false\n')
    await runVitest(['hurried.test.ts'], 'true', tally)
    expect(await readFile(tally, 'utf8')).toBe('3 2 0\n')
    const lines = (await readFile(`${tally}.failures`, 'utf8')).split('\n')
    expect(lines.filter((line) => line.includes(' > '))).toEqual([
      'PASSED ON THE SECOND TRY hurried.test.ts > waits',
      'PASSED ON THE SECOND TRY hurried.test.ts > asks',
      'PASSED ON THE SECOND TRY hurried.test.ts > takes for ever',
      'FAIL hurried.test.ts > never comes',
      'FAIL hurried.test.ts > never comes',
      'FAIL hurried.test.ts > is wrong once',
    ])
  })

  test('counts a hook that failed, whose tests are only skipped', async () => {
    const tally = join(root, 'tally-of-hooks')
    const { code } = await runVitest(['unprepared.test.ts'], 'false', tally)
    expect(await readFile(tally, 'utf8')).toBe('0 1 2\n')
    expect(await readFile(`${tally}.failures`, 'utf8')).toBe('FAIL unprepared.test.ts > unprepared\n  no room\n')
    expect(code).toBe(1)
  })

  test('names a server and a timer that a file left open, and fails', async () => {
    const { code, output } = await runVitest(['leaky.test.ts', 'ticking.test.ts'], 'false')
    expect(output).toContain('handles that the file left open')
    expect(output).toContain('TCPServerWrap: 1')
    expect(output).toMatch(/Timeout: started at .*ticking\.test\.ts/)
    expect(code).toBe(1)
    expect(output.trimEnd().split('\n').at(-1)).toBe('2 passed, 2 failed')
  })

  test('says in one line what a skipped suite wants', async () => {
    const { code, output } = await runVitest(['choosy.test.ts'], 'false')
    expect(output).toMatch(/^skipped: on the moon: install the moon$/m)
    expect(output.trimEnd().split('\n').at(-1)).toBe('0 passed, 0 failed, 1 skipped')
    expect(code).toBe(0)
  })

  test('fails in CI where a suite would be skipped', async () => {
    const { code, output } = await runVitest(['choosy.test.ts'], 'true')
    expect(output).toContain('skipped: on the moon: install the moon (CI must not skip)')
    expect(output.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed')
    expect(code).toBe(1)
  })
})
