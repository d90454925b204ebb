import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startCli } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { chance } from './random.ts'

const { seed, below } = chance()
process.stdout.write(`the seed of the moments is ${seed}\n`)
const PART_MS = 190
/** Moments in the first 1.5 s, one in each of eight equal parts. */
const MOMENTS = Array.from({ length: 8 }, (_, part) => part * PART_MS + below(PART_MS))

/** The Postgres servers that a process started, without those that only create a database. */
async function serversOf(pid: number): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    const status = /^\d+$/.test(name) ? await readFile(`/proc/${name}/status`, 'utf8').catch(() => '') : ''
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (status.includes(`PPid:\t${pid}\n`) && /bin\/postgres\0.*listen_addresses/s.test(line)) found.push(Number(name))
  }
  return found
}

test.each(MOMENTS)(
  'Postgres that is killed %i ms after it began: the start goes on, or says so in one sentence, and the next one works',
  async (ms) => {
    await using folder = await temporaryFolder()
    const environment = { TIDEMARK_DATA_DIR: join(folder.path, 'data'), PORT: '0', TIDEMARK_BROWSER_PAGES: '0' }
    await using serve = startCli(['serve'], environment)
    const [server] = await eventually(
      () => serversOf(serve.pid),
      (pids) => pids.length > 0,
    )
    await pause(ms)
    process.kill(server ?? 0, 'SIGKILL')
    const running = /Tidemark is running at/
    const isRunning = await serve.says(running).then(
      () => true,
      () => false,
    )
    process.stdout.write(`killed after ${ms} ms: ${isRunning ? 'goes on' : serve.stderr}\n`)
    expect(serve.stderr).not.toMatch(/^ {4}at /m)
    if (isRunning) {
      serve.signal('SIGTERM')
      expect(await serve.exited).toBe(0)
    } else {
      expect(await serve.exited).toBe(1)
      expect(serve.stderr).toMatch(/^tidemark: Postgres /m)
    }
    await using again = startCli(['serve'], environment)
    await again.says(running)
  },
  120_000,
)
