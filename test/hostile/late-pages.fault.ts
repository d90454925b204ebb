import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import { testBrowsers } from '../support/browser/test-browsers.ts'
import { endLeases } from '../support/database/check-states.ts'
import { openQueueDatabase } from '../support/database/queue-database.ts'
import { html, openSite } from '../support/network/site.ts'
import { until } from '../support/run/until.ts'
import { startWorker } from '../support/worker/check-worker.ts'

const PAGES = 4
/** As long as a page may be silent, and then the quick page itself. */
const MAX_MS = 20_000

/** Takes every connection and never says a word. */
async function openSilence(): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test(
  'more silent sites than a browser shows pages make a page that comes after them, of their own team, no later ' +
    'than one of them; known, they delay nobody.',
  async () => {
    await using closing = new AsyncDisposableStack()
    const database = closing.use(await openQueueDatabase())
    const silence = closing.use(await openSilence())
    const site = closing.use(await openSite())
    site.answer(html('<p>quick</p>'))
    const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
    const browsers = testBrowsers({ egress, pages: PAGES })
    closing.defer(() => browsers.close())
    const { url, secrets } = database
    closing.use(await startWorker({ url, secrets, browsers, concurrency: PAGES, perHost: 2, rendersPages: true }))
    const team = await database.team()
    const rendered = { queue: 'browser', interval: 86_400, extract: { method: 'css', fields: { it: 'p' } } } as const
    const hogs: number[] = []
    for (let n = 2; n < 2 + 3 * PAGES; n++)
      hogs.push(...(await database.monitors(team, { ...rendered, url: `http://127.0.0.${n}:${silence.port}/` })))
    await until(
      () => Promise.all(hogs.map((no) => database.check(no))),
      (checks) => checks.filter(({ run_id }) => run_id !== null).length >= PAGES,
    )
    expect(await quickPage()).toBeLessThan(MAX_MS)

    await until(
      () => Promise.all(hogs.map((no) => database.runs(no))),
      (runs) => runs.every((of) => of.length === 1),
    )
    await endLeases(database, hogs)
    await until(
      () => Promise.all(hogs.map((no) => database.check(no))),
      (checks) => checks.filter(({ run_id }) => run_id !== null).length >= PAGES,
    )
    expect(await quickPage()).toBeLessThan(MAX_MS / 4)

    async function quickPage(): Promise<number> {
      const from = performance.now()
      const [no = 0] = await database.monitors(team, { ...rendered, url: site.url })
      await until(
        () => database.runs(no),
        (runs) => runs.length === 1,
      )
      const ms = performance.now() - from
      expect(await database.runs(no)).toMatchObject([{ status: 'success', extracted: { it: 'quick' } }])
      process.stdout.write(
        `beside ${hogs.length} silent sites a page of ${PAGES} was there after ${ms.toFixed(0)} ms\n`,
      )
      return ms
    }
  },
)
