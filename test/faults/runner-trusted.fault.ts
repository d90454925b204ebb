import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { EXIT_ADDRESS, type ProxyServer, startProxy } from '../runners/fetch/proxy/proxy-server.ts'
import { html, openSite, status } from '../support/site.ts'
import {
  runnerApiOf,
  openRunnerInstallation,
  type RunnerInstallation,
  type SeenRun,
} from '../cli/runner-installation.ts'

let proxy: ProxyServer
let installation: RunnerInstallation
beforeAll(async () => {
  proxy = await startProxy()
  installation = await openRunnerInstallation({ TIDEMARK_PROXY_URL: proxy.url })
  await installation.rows('update teams set proxy_enabled = true')
})
afterAll(async () => {
  await installation[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

/** A script makes the price. */
const MADE = `<body><script>document.body.innerHTML = '<b class="price">$8</b>'</script></body>`

const bodyOf = (url: string) => ({
  name: 'A kettle',
  url,
  schedule_interval_seconds: 86_400,
  fetch_mode: 'browser',
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'field_changes', field: 'price' },
})
async function firstRun(url: string) {
  const { id } = await installation.api<{ id: string }>('POST', '/v1/monitors', bodyOf(url))
  const { data } = await eventually(
    () => installation.api<{ data: SeenRun[] }>('GET', `/v1/monitors/${id}/runs`),
    (page) => page.data.some((run) => run.status !== 'running'),
  )
  return data[0]
}

test(
  'what a runner is refused, it renders through the relay of the worker, on the allowance of the team; it knows ' +
    'neither the proxy nor its credentials.',
  async () => {
    await using site = await openSite()
    site.answer((response, request, nth) => {
      const isThroughProxy = request.socket.remoteAddress === EXIT_ADDRESS
      return (isThroughProxy ? html(MADE) : status(403))(response, request, nth)
    })
    const runner = await installation.runner('refused')
    expect(await firstRun(site.url)).toMatchObject({
      status: 'success',
      fetch_method: 'proxy',
      extracted: { price: '$8' },
    })
    const [usage] = await installation.rows<{ n: number }>('select proxy_bytes_used::int as n from team_usage')
    expect(usage?.n).toBeGreaterThan(0)
    runner.signal('SIGTERM')
    expect(await runner.exited).toBe(0)
  },
  60_000,
)

test('one process that renders nothing serves the runner API, and a runner does its previews and runs', async () => {
  await using site = await openSite()
  const serve = installation.start(['serve'], { ...installation.trusted, TIDEMARK_RUNNER_API_PORT: '0' })
  const [, base] = await serve.says(/running at (\S+)\n/)
  const headers = { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' }
  await serve.says(/runner API listening/)
  const runner = await installation.runner('serves', { TIDEMARK_RUNNER_API_URL: runnerApiOf(serve) })
  const init = { method: 'POST', headers, body: JSON.stringify(bodyOf(site.url)) }
  const preview = (await (await fetch(`${base}/v1/monitors/preview`, init)).json()) as object
  expect(preview).toMatchObject({ status: 'success', fetch_method: 'browser' })
  expect(await firstRun(site.url)).toMatchObject({ status: 'success', fetch_method: 'browser' })
  for (const one of [runner, serve]) one.signal('SIGTERM')
  expect(await Promise.all([runner.exited, serve.exited])).toEqual([0, 0])
}, 60_000)
