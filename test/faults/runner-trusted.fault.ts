import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXIT_ADDRESS, type ProxyServer, startProxy } from '../support/network/proxy-server.ts'
import { html, openSite, status } from '../support/network/site.ts'
import { runnerApiOf, openRunnerInstallation, type RunnerInstallation } from '../support/process/runner-installation.ts'

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

const firstRun = async (url: string) => (await installation.ended(await installation.watch(url)))[0]

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
)

test('one process that renders nothing serves the runner API, and a runner does its previews and runs', async () => {
  await using site = await openSite()
  const serve = installation.start(['serve'], { ...installation.trusted, TIDEMARK_RUNNER_API_PORT: '0' })
  const [, base] = await serve.says(/running at (\S+)\n/)
  const headers = { authorization: `Bearer ${installation.apiKey}`, 'content-type': 'application/json' }
  await serve.says(/runner API listening/)
  const runner = await installation.runner('serves', { TIDEMARK_RUNNER_API_URL: await runnerApiOf(serve) })
  const extract_config = { method: 'css', fields: { price: '.price' } }
  const body = JSON.stringify({ url: site.url, fetch_mode: 'browser', extract_config })
  const init = { method: 'POST', headers, body }
  const preview = (await (await fetch(`${base}/v1/monitors/preview`, init)).json()) as object
  expect(preview).toMatchObject({ status: 'success', fetch_method: 'browser' })
  expect(await firstRun(site.url)).toMatchObject({ status: 'success', fetch_method: 'browser' })
  for (const one of [runner, serve]) one.signal('SIGTERM')
  expect(await Promise.all([runner.exited, serve.exited])).toEqual([0, 0])
})
