import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scriptedPage } from '../support/network/scripted-page.ts'
import { type Answer, html, openSite, type Site } from '../support/network/site.ts'
import { runCli } from '../support/process/cli-process.ts'
import { metricsOf, openRunnerInstallation, type RunnerInstallation } from '../support/process/runner-installation.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'
import { verifier } from '../support/worker/signature-verifier.ts'

let installation: RunnerInstallation
beforeAll(async () => {
  installation = await openRunnerInstallation()
})
afterAll(() => installation[Symbol.asyncDispose]())

const leaseOf = async (id: string) => {
  const [check] = await installation.rows<{
    no: number
    fence: number
    holder: number | null
    run_id: string | null
    due: boolean
  }>(
    `select c.no::float8, c.fence, c.holder, c.run_id, c.due_at <= clock() as due from checks c join monitors m ` +
      `on m.no = c.no where m.id = $1`,
    [id],
  )
  if (!check) throw new Error('no such check')
  return check
}
/** Creates a monitor whose page hangs, and waits until a runner loads it. */
async function hanging(site: Site, answer: Answer = () => {}) {
  site.answer(answer)
  const id = await installation.watch(site.url)
  await eventually(
    () => site.requests.length,
    (count) => count > 0,
  )
  return { id, check: await leaseOf(id) }
}

test(
  'a page that a script fills is rendered by a runner that knows no database; its change arrives as a signed ' +
    'webhook.',
  async () => {
    await using site = await openSite()
    await using hook = await openReceiver(reply(204))
    const runner = await installation.runner('renders')
    site.answer(scriptedPage('$1'))
    // Fetched by the worker first, which renders nothing.
    const deliveries = [{ type: 'webhook', url: hook.url }]
    const id = await installation.watch(site.url, { fetch_mode: 'auto', deliveries })
    const [baseline] = await installation.ended(id)
    expect(baseline).toMatchObject({ status: 'success', fetch_method: 'browser', extracted: { price: '$1' } })

    site.answer(scriptedPage('$2'))
    const changed = await installation.runNow(id)
    expect(changed).toMatchObject({ fetch_method: 'browser', delivery_triggered: true })
    expect(changed.diff).toMatchObject({ before: { price: '$1' }, after: { price: '$2' } })
    const [request] = await eventually(
      () => hook.requests,
      (all) => all.length > 0,
    )
    const { secret } = await installation.api<{ secret: string }>('GET', `/v1/monitors/${id}/signing-secret`)
    const header = request?.headers.get('service-signature') ?? ''
    const body = request?.body.toString() ?? ''
    expect(verifier?.verifyHeader(body, header, secret, 300)).toBe(true)
    expect(hook.requests).toHaveLength(1)

    const environment = await readFile(`/proc/${runner.pid}/environ`, 'utf8')
    expect(environment).not.toMatch(/postgres|DATABASE_URL|ENCRYPTION_KEY/i)
    expect(runner.stdout + runner.stderr).not.toMatch(/tdr_\w/)
    runner.signal('SIGTERM')
    expect(await runner.exited).toBe(0)
  },
)

test('a monitor with pictures is done by a runner, and the worker compares them', async () => {
  await using site = await openSite()
  const runner = await installation.runner('sees')
  const striped = (color: string) =>
    html(`<!doctype html><style>body{margin:0;background:${color}}</style><p class="price">1`)
  site.answer(striped('#fff'))
  const id = await installation.watch(site.url, { visual_config: { enabled: true, fullPage: false } })
  expect((await installation.ended(id))[0]).toMatchObject({ status: 'success', visual_change_pct: 0 })
  site.answer(striped('#036'))
  const changed = await installation.runNow(id)
  expect(changed.visual_change_pct).toBeGreaterThan(90)
  runner.signal('SIGTERM')
  expect(await runner.exited).toBe(0)
})

test('a runner that is killed in the middle of a check leaves it to another: the same run, once', async () => {
  await using site = await openSite()
  const doomed = await installation.runner('doomed')
  const { id, check } = await hanging(site)
  expect(check.holder).not.toBeNull()

  // Meanwhile nobody else can touch it, though they know its number and fence.
  const token = await installation.token('thief')
  const post = (verb: string, body: object) =>
    fetch(`${installation.runnerApiUrl}/runner/${verb}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const checks = [{ no: check.no, fence: check.fence }]
  expect(await (await post('heartbeat', { checks })).json()).toMatchObject({ held: [] })
  expect((await post('release', { checks, delay_ms: 0 })).status).toBe(204)
  expect(await leaseOf(id)).toMatchObject({ fence: check.fence, holder: check.holder, run_id: check.run_id })

  doomed.signal('SIGKILL')
  await doomed.exited
  site.answer(scriptedPage('$5'))
  const another = await installation.runner('another')
  expect(await installation.ended(id)).toMatchObject([
    { id: check.run_id, status: 'success', extracted: { price: '$5' } },
  ])
  another.signal('SIGTERM')
  expect(await another.exited).toBe(0)
  expect(await installation.ended(id)).toHaveLength(1)
})

test('a runner that has to stop finishes what it can, gives back the rest at once, and exits with 0', async () => {
  await using slow = await openSite()
  await using never = await openSite()
  const runner = await installation.runner('stops', { TIDEMARK_BROWSER_PAGES: '4' })
  const finish = Promise.withResolvers<void>()
  slow.answer((response, request, nth) => void finish.promise.then(() => scriptedPage('$6')(response, request, nth)))
  const kept = await installation.watch(slow.url)
  // For longer than a runner has to stop: a site that says nothing is given up before.
  const { id } = await hanging(never, html('<script>for (;;);</script>'))
  await eventually(
    () => slow.requests.length,
    (count) => count > 0,
  )
  const started = performance.now()
  runner.signal('SIGTERM')
  finish.resolve()
  expect((await installation.ended(kept))[0]).toMatchObject({ status: 'success', extracted: { price: '$6' } })
  expect(await runner.exited).toBe(0)
  expect(performance.now() - started).toBeLessThan(25_000)
  // Due now, and nobody's: not one that waits for its lease.
  expect(await leaseOf(id)).toMatchObject({ holder: null, due: true })
  await installation.api('POST', `/v1/monitors/${id}/pause`, {})
})

test('a token that is refused ends a runner with code 77 and says what to do, at the start and later', async () => {
  const wrong = await runCli(['runner'], installation.runnerEnvironment(`tdr_${'0'.repeat(36)}`))
  expect([wrong.code, wrong.stdout]).toEqual([77, expect.not.stringContaining('rendering')])
  expect(JSON.parse(wrong.stderr)).toMatchObject({
    level: 'error',
    msg: expect.stringMatching(/^the runner API refuses the runner token: .*create-runner-token/),
  })
  expect(wrong.stderr).not.toMatch(/\n\s+at |tdr_0/)

  const runner = await installation.runner('revoked')
  const revoked = await runCli(['admin', 'revoke-runner-token', '--job', 'revoked', '--json'], installation.trusted)
  expect(JSON.parse(revoked.stdout)).toEqual({ job: 'revoked', revoked: 1 })
  expect(await runner.exited).toBe(77)
  expect(runner.stderr).toContain('the runner API refuses the runner token')
})

test('an idle runner exits with 0 by itself; so does one whose token, from a file, is about to end', async () => {
  await using folder = await temporaryFolder()
  const idle = await installation.runner('idle', { TIDEMARK_RUNNER_IDLE_SECONDS: '1' })
  const file = join(folder.path, 'token')
  // Long enough for a runner to begin on a busy machine.
  await writeFile(file, `${await installation.token('short', '--ttl', '30s')}\n`)
  const short = await installation.runner('short', { TIDEMARK_RUNNER_TOKEN: '', TIDEMARK_RUNNER_TOKEN_FILE: file })
  expect(await idle.exited).toBe(0)
  expect(idle.stdout).toContain('nothing to do')
  expect(await short.exited).toBe(0)
  expect(short.stdout).toContain('the token is about to expire')
})

test('a runner tells its readiness and metrics, and outlives its worker', async () => {
  await using site = await openSite()
  site.answer(scriptedPage('$7'))
  await using other = await openRunnerInstallation()
  const environment = { TIDEMARK_METRICS_PORT: '0', ...other.runnerEnvironment(await other.token('outlives')) }
  const runner = other.start(['runner'], environment)
  await runner.says(/rendering for/)
  const metrics = await metricsOf(runner)
  const ready = async () => (await fetch(`${metrics}/readyz`)).status
  await eventually(ready, (status) => status === 200)
  expect(await (await fetch(`${metrics}/metrics`)).text()).toContain('tidemark_checks_active 0')

  await other.restartWorker()
  expect(await other.ended(await other.watch(site.url))).toMatchObject([{ status: 'success' }])
  runner.signal('SIGTERM')
  expect(await runner.exited).toBe(0)
})

test('what a runner lacks, and what it should not have, is said at its start', async () => {
  const nothing = await runCli(['runner'])
  expect(nothing.code).toBe(1)
  for (const name of ['TIDEMARK_RUNNER_API_URL', 'TIDEMARK_RUNNER_TOKEN'])
    expect(JSON.parse(nothing.stderr).msg).toContain(` ${name} `)
  expect(nothing.stderr).not.toContain('DATABASE_URL')
  const both = await runCli(['runner'], {
    ...installation.runnerEnvironment(`tdr_${'0'.repeat(36)}`),
    DATABASE_URL: installation.trusted['DATABASE_URL'] ?? '',
  })
  expect(both.code).toBe(77)
  expect(both.stdout).toContain('a runner must not have these settings')
  expect(both.stdout).not.toContain(installation.trusted['DATABASE_URL'])
  const nowhere = await runCli(['runner'], {
    ...installation.runnerEnvironment('tdr_x'),
    TIDEMARK_RUNNER_API_URL: 'ftp://x',
  })
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('TIDEMARK_RUNNER_API_URL must be')])
  const help = await runCli(['runner', '--help'])
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('  $ ')])
})
