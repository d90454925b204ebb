import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { openQueueDatabase } from '../support/database/queue-database.ts'
import { answer, rawServer } from '../support/network/raw-server.ts'
import { scriptedPage } from '../support/network/scripted-page.ts'
import { type Answer, html, openSite } from '../support/network/site.ts'
import { startShell } from '../support/process/cli-process.ts'
import { peakMemory } from '../support/process/peak-memory.ts'
import { openRunnerInstallation } from '../support/process/runner-installation.ts'
import { describeIf } from '../support/run/skip.ts'
import { until } from '../support/run/until.ts'
import { BLOW_UPS } from './blow-ups.ts'
import { canLimitMemory, createMemoryGroup } from './memory-group.ts'

const ENTRY = fileURLToPath(new URL('../../cli/tidemark.ts', import.meta.url))
const VALUES = parse(readFileSync(new URL('../../charts/tidemark/values.yaml', import.meta.url), 'utf8')) as Values
/** Monitors of a page that blows up: together more than a worker checks at once. */
const EACH = 5
/** It needs time, and no memory. */
const IS_SHORT = new Set(['timeout', 'connect_failed', 'too_many_redirects'])

const BLOWN_UP = BLOW_UPS.filter(({ comesTo }) => ![comesTo].flat().some((code) => IS_SHORT.has(code)))
/** A small answer that unpacks to the largest body, and is read at once, so that only its bytes count. */
const LARGE_PAGE = {
  serve: answer('200 OK', gzipSync(`<b>1</b><!--${'x'.repeat(10_000_000)}-->`), { 'content-encoding': 'gzip' }),
  extract: { method: 'css', fields: { it: 'b' } },
} as const

interface Limited {
  readonly limits: { readonly memory: string }
}
interface Values {
  readonly worker: { readonly resources: Limited }
  readonly runner: { readonly resources: Limited; readonly browserResources: Limited; readonly slots: number }
}

describeIf(canLimitMemory, 'as root, where the memory of processes can be limited by cgroups')(
  'Within the memory that the chart gives it',
  () => {
    test.each([
      [`${EACH} monitors of each page that is made to blow up`, BLOWN_UP, EACH],
      ['more monitors of a page of 10 MB than it checks at once', [LARGE_PAGE], 130],
    ])('a worker lives through %s, all due at once', { timeout: 900_000 }, async (_, rows, count) => {
      await using sites = new AsyncDisposableStack()
      await using database = await openQueueDatabase()
      const team = await database.team()
      const numbers: number[] = []
      for (const { serve, extract } of rows) {
        const { port } = sites.use(await rawServer(serve))
        const url = `http://127.0.0.1:${port}/`
        numbers.push(...(await database.monitors(team, { url, extract, count, interval: 86_400 })))
      }
      await using group = createMemoryGroup('worker', bytesOf(VALUES.worker.resources))
      await using worker = startShell(group.line([process.execPath, ENTRY, 'worker']), {
        DATABASE_URL: database.url,
        TIDEMARK_ENCRYPTION_KEY: 'the key of a test',
        TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
        TIDEMARK_HOST_CONCURRENCY: '128',
        TIDEMARK_BROWSER_PAGES: '0',
        TIDEMARK_LOG_LEVEL: 'warn',
      })
      await worker.says(/checking and delivering/)
      // What has to be rendered waits for a runner, as with the chart.
      const left = async () =>
        (await database.everyCheck()).filter(({ queue, runs }) => queue === 'static' && Number(runs) === 0)
      await until(left, ({ length }) => length === 0 || group.kills() > 0, PATIENCE_MS)
      expect(group.kills()).toBe(0)
      process.stdout.write(`${rows.length * count} checks: ${mb(peakMemory(worker.pid))} of memory at most\n`)
      const codes = (await database.runs(numbers)).map((run) => run.error_code)
      expect(codes).not.toContain('internal')
      worker.signal('SIGTERM')
      expect(await worker.exited).toBe(0)
    })

    test('a runner and its browser live through more pages that fill memory than they render at once', async () => {
      await using installation = await openRunnerInstallation()
      await using site = await openSite()
      const { resources, browserResources, slots } = VALUES.runner
      await using group = createMemoryGroup('runner', bytesOf(resources) + bytesOf(browserResources))
      await using runner = startShell(group.line([process.execPath, ENTRY, 'runner']), {
        ...installation.runnerEnvironment(await installation.token('memory')),
        TIDEMARK_BROWSER_PAGES: String(slots),
      })
      await runner.says(/Tidemark is rendering for/)
      let runs = 0
      for (const [what, page] of Object.entries(PAGES)) {
        site.answer(page)
        const ids = await Promise.all(Array.from({ length: slots + 1 }, () => installation.watch(site.url)))
        runs += ids.length
        await until(
          () => installation.rows<{ n: number }>(ENDED),
          ([first]) => (first?.n ?? 0) >= runs,
          PATIENCE_MS,
        )
        const ends = await Promise.all(ids.map(async (id) => (await installation.ended(id))[0]))
        const codes = Object.groupBy(ends, (run) => run?.error_code ?? 'success')
        const counts = Object.entries(codes).map(([code, runs]) => `${runs?.length} ${code}`)
        process.stdout.write(
          `${what}: ${counts.join(', ')}; ${mb(group.peak())}, of these the runner ${mb(peakMemory(runner.pid))}\n`,
        )
        expect(ends.map((run) => run?.error_code)).not.toContain('internal')
        site.answer(scriptedPage('$1'))
        const [good] = await installation.ended(await installation.watch(site.url))
        runs += 1
        expect(good).toMatchObject({ status: 'success', extracted: { price: '$1' } })
      }
      expect(peakMemory(runner.pid)).toBeLessThan(bytesOf(resources))
      runner.signal('SIGTERM')
      expect(await runner.exited).toBe(0)
    }, 900_000)
  },
)

const PATIENCE_MS = 800_000
/** A run is stored when it has ended. */
const ENDED = 'select count(*)::int as n from runs'

/** Rendered pages that take as much memory as they get. */
const PAGES: Readonly<Record<string, Answer>> = {
  'a heap that grows': html('<script>const all = []; for (;;) all.push(new Array(1e6).fill(0.1))</script>'),
  'buffers outside of the heap': html(
    '<script>const all = []; for (;;) { const b = new Uint8Array(1 << 26); b.fill(1); all.push(b) }</script>',
  ),
  'a million elements': html(
    `<b class="price">1</b><script>
      for (let n = 0; n < 1e6; n++) document.body.append(document.createElement('p'))
    </script>`,
  ),
  'a document of 10 MB': html(`<b class="price">1</b>${'<p>x</p>'.repeat(1_200_000)}`),
}

function bytesOf({ limits: { memory } }: Limited): number {
  const [, count, unit] = /^(\d+)(Mi|Gi)$/.exec(memory) ?? []
  return Number(count) * (unit === 'Gi' ? 1024 : 1) * 1024 * 1024
}

const mb = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`
