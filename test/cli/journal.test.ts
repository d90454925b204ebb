import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startShell } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'

vi.setConfig({ testTimeout: 240_000 })

/** A runner without a worker: it logs that, and tries again. */
const RUNNER = { TIDEMARK_RUNNER_API_URL: 'http://127.0.0.1:9', TIDEMARK_RUNNER_TOKEN: 'a-token-of-a-test' }
const COMMAND = `exec "${process.execPath}" cli/tidemark.ts`

/** Makes a file, and returns it with what systemd would say of it in JOURNAL_STREAM. */
async function openStream(folder: string, name: string) {
  const path = join(folder, name)
  await writeFile(path, '')
  const { dev, ino } = await stat(path, { bigint: true })
  return { path, JOURNAL_STREAM: `${dev}:${ino}` }
}

test('in the journal a line of the log has its priority before the JSON, elsewhere the JSON alone', async () => {
  await using folder = await temporaryFolder()
  const { path, JOURNAL_STREAM } = await openStream(folder.path, 'journal')
  const elsewhere = join(folder.path, 'elsewhere')
  const data = { TIDEMARK_DATA_DIR: join(folder.path, 'data') }
  await using runner = startShell(`${COMMAND} runner > '${path}'`, { ...RUNNER, ...data, JOURNAL_STREAM })
  await using other = startShell(`${COMMAND} runner > '${elsewhere}'`, { ...RUNNER, ...data, JOURNAL_STREAM })
  const linesOf = async (file: string) =>
    (
      await eventually(
        () => readFile(file, 'utf8').catch(() => ''),
        (text) => text.includes('the runner API is away'),
      )
    )
      .trim()
      .split('\n')
  const priorities = { error: '<3>', warn: '<4>', info: '<6>' }
  for (const line of await linesOf(path)) {
    const { level } = JSON.parse(line.slice(3)) as { readonly level: keyof typeof priorities }
    expect(line.slice(0, 3)).toBe(priorities[level])
  }
  for (const line of await linesOf(elsewhere)) expect(JSON.parse(line)).toHaveProperty('level')
  for (const one of [runner, other]) one.signal('SIGTERM')
  expect([await runner.exited, await other.exited]).toEqual([0, 0])
})

test('in the journal the error that ends a process is an error', async () => {
  await using folder = await temporaryFolder()
  const { path, JOURNAL_STREAM } = await openStream(folder.path, 'journal')
  for (const [command, first] of [
    ['serve', /^<3>tidemark: The settings are not valid:\n<3> {2}PORT must/],
    ['worker', /^<3>\{"level":"error"/],
  ] as const) {
    await using cli = startShell(`${COMMAND} ${command} 2> '${path}'`, { PORT: 'none', JOURNAL_STREAM })
    expect(await cli.exited).toBe(1)
    expect(await readFile(path, 'utf8')).toMatch(first)
  }
})
