import { afterAll, beforeAll, expect, test } from 'vitest'
import { html, openSite } from '../support/network/site.ts'
import { openTcpProxy, type TcpProxy } from '../support/network/tcp-proxy.ts'
import { openRunnerInstallation, type RunnerInstallation } from '../support/process/runner-installation.ts'

const DENIED = '127.0.0.99'
const API_SERVER = { host: '127.0.0.98', port: 65_000 }

let installation: RunnerInstallation
let database: TcpProxy
beforeAll(async () => {
  installation = await openRunnerInstallation(async (databaseUrl) => {
    database = await openTcpProxy(databaseUrl)
    return {
      DATABASE_URL: database.url,
      TIDEMARK_DENY_CIDRS: `${DENIED}/32`,
      KUBERNETES_SERVICE_HOST: API_SERVER.host,
      KUBERNETES_SERVICE_PORT: String(API_SERVER.port),
    }
  })
})
afterAll(async () => {
  // A start that failed leaves the first one out.
  const opened: (AsyncDisposable | undefined)[] = [installation, database]
  for (const one of opened) await one?.[Symbol.asyncDispose]()
})

const FIRST_PARAGRAPH = { extract_config: { method: 'css', fields: { it: 'p' } } }
const runOf = async (url: string) => (await installation.ended(await installation.watch(url, FIRST_PARAGRAPH)))[0]

test('a runner, which has no database and denies nothing itself, denies what its worker denies', async () => {
  await using site = await openSite()
  const runner = await installation.runner('denies')
  const { hostname, port } = new URL(database.url)
  const targets = [
    `http://${hostname}:${port}/`,
    `http://${API_SERVER.host}:${API_SERVER.port}/`,
    `http://${DENIED}:${new URL(site.url).port}/`,
  ]
  // The API refuses such addresses when they are saved; a redirect leads the browser there.
  for (const target of targets) {
    site.answer((response) => void response.writeHead(302, { location: target }).end())
    expect(await runOf(site.url)).toMatchObject({ status: 'error', error_code: 'target_not_allowed' })
  }
  site.answer(html('<p>still read</p>'))
  expect(await runOf(site.url)).toMatchObject({ status: 'success', extracted: { it: 'still read' } })
  runner.signal('SIGTERM')
  expect(await runner.exited).toBe(0)
})
