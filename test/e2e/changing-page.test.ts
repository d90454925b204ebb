import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../support/database/test-database.ts'
import { openSite } from '../support/network/site.ts'
import { type CliProcess, startCli } from '../support/process/cli-process.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { openReceiver, type Receiver, reply } from '../support/worker/receiver.ts'
import { verifier } from '../support/worker/signature-verifier.ts'

let database: TestDatabase
let serve: CliProcess
let base: string
let key: string
beforeAll(async () => {
  database = await createEmptyDatabase()
  serve = startCli(['serve'], {
    DATABASE_URL: database.url,
    TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test',
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    TIDEMARK_DASHBOARD_URL: 'https://watch.example.com/app/',
    PORT: '0',
  })
  const [, address = '', apiKey = ''] = await serve.says(/running at (\S+)\n[\s\S]*API key\s+(svc_\w+)/)
  base = address
  key = apiKey
})
afterAll(async () => {
  serve.signal('SIGTERM')
  await serve.exited
  await database.drop()
})

async function ask<T>(path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  const answer = await fetch(`${base}${path}`, { headers, ...init })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return JSON.parse(text) as T
}

interface Run {
  readonly id: string
  readonly status: string
  readonly diff: { readonly fields_changed?: string[]; readonly before?: object; readonly after?: object }
  readonly delivery_triggered: boolean
}

const ended = (id: string) =>
  eventually(
    () => ask<Run>(`/v1/runs/${id}`),
    (run) => run.status !== 'running',
  )

/** A monitor with one field and one webhook; its first run, which sets the baseline, has ended. */
async function watch(url: string, selector: string, hook: Receiver, more: readonly object[] = []) {
  const made = await ask<{ id: string; name: string }>('/v1/monitors', {
    name: 'A kettle',
    url,
    schedule_interval_seconds: 3600,
    extract_config: { method: 'css', fields: { price: selector } },
    diff_predicate: { type: 'field_changes', field: 'price' },
    deliveries: [{ type: 'webhook', url: hook.url, headers: { 'X-Team': 'kettles' } }, ...more],
  })
  const first = await eventually(
    () => ask<{ data: Run[] }>(`/v1/monitors/${made.id}/runs`),
    ({ data }) => data[0] !== undefined && data[0].status !== 'running',
  )
  expect(first.data).toMatchObject([{ status: 'success', diff: {}, delivery_triggered: false }])
  const { secret } = await ask<{ secret: string }>(`/v1/monitors/${made.id}/signing-secret`)
  return { id: made.id, secret }
}

async function runNow(id: string): Promise<Run> {
  const { run_id, queued } = await ask<{ run_id: string; queued: boolean }>(`/v1/monitors/${id}/run`, {})
  expect(queued).toBe(true)
  return ended(run_id)
}

test('a page changes, and a signed message tells what changed from what to what', async () => {
  await using site = await openSite()
  await using hook = await openReceiver(reply(204))
  const { id, secret } = await watch(site.url, '.price', hook)
  expect(await runNow(id)).toMatchObject({ status: 'success', diff: {}, delivery_triggered: false })
  expect(hook.requests).toEqual([])

  site.price('$17.49')
  const run = await runNow(id)
  const diff = { fields_changed: ['price'], before: { price: '$1' }, after: { price: '$17.49' } }
  expect(run).toMatchObject({ status: 'success', diff, delivery_triggered: true, extracted: { price: '$17.49' } })
  const [request] = await eventually(
    () => hook.requests,
    (all) => all.length > 0,
  )
  if (!request) throw new Error('no request')

  const body = request.body.toString('utf8')
  const header = request.headers.get('service-signature') ?? ''
  expect(verifier?.verifyHeader(body, header, secret, 300)).toBe(true)
  expect(() => verifier?.verifyHeader(`${body} `, header, secret, 300)).toThrow('signature')
  expect(header).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/)
  expect(request.headers.get('user-agent')).toBe('Service/1.0')
  expect(request.headers.get('content-type')).toMatch(/^application\/json/)
  expect(request.headers.get('x-team')).toBe('kettles')

  const [delivery, ...more] = (
    await eventually(
      () => ask<{ data: { id: string; status: string; payload: object }[] }>(`/v1/runs/${run.id}/deliveries`),
      ({ data }) => data[0]?.status === 'success',
    )
  ).data
  expect(more).toEqual([])
  const payload = JSON.parse(body) as { fired_at: string }
  expect(payload).toEqual({
    id: delivery?.id,
    version: '2026-05-01',
    monitor_id: id,
    run_id: run.id,
    fired_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    diff,
    monitor: { url: site.url, name: 'A kettle' },
  })
  expect(delivery?.payload).toEqual(payload)
  expect(Math.abs(Date.parse(payload.fired_at) - Date.now())).toBeLessThan(60_000)
  expect(hook.requests).toHaveLength(1)
})

test('a message to a chat links to the run below TIDEMARK_DASHBOARD_URL', async () => {
  await using site = await openSite()
  await using hook = await openReceiver(reply(204))
  await using chat = await openReceiver()
  const { id } = await watch(site.url, '.price', hook, [{ type: 'slack', webhookUrl: chat.url }])
  site.price('$17.49')
  const run = await runNow(id)
  const [message] = await eventually(
    () => chat.requests,
    (all) => all.length > 0,
  )
  expect(message?.body.toString()).toContain(`https://watch.example.com/app/monitors/${id}/runs/${run.id}`)
})

const shared = process.env['TIDEMARK_SHARED'] ?? ''

describeIf(shared !== '', 'set TIDEMARK_SHARED')('A page of the corpus', () => {
  test('a number that changes in a recorded page is reported once', async () => {
    await using corpus = await openCorpus(join(shared, 'corpus'))
    await using hook = await openReceiver(reply(204))
    const { id, secret } = await watch(`${corpus.url}/html/001.html`, 'body', hook)
    expect(await runNow(id)).toMatchObject({ status: 'success', diff: {} })
    await fetch(`${corpus.url}/__mutate?n=1`, { method: 'POST' })
    const run = await runNow(id)
    expect(run).toMatchObject({ status: 'success', delivery_triggered: true, diff: { fields_changed: ['price'] } })
    expect(run.diff.before).not.toEqual(run.diff.after)
    const [request] = await eventually(
      () => hook.requests,
      (all) => all.length > 0,
    )
    const header = request?.headers.get('service-signature') ?? ''
    expect(verifier?.verifyHeader(request?.body ?? '', header, secret, 300)).toBe(true)
    expect(await runNow(id)).toMatchObject({ status: 'success', delivery_triggered: false, diff: {} })
    expect(hook.requests).toHaveLength(1)
  })
})

async function openCorpus(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const child = spawn(process.execPath, ['serve.mjs'], {
    cwd: folder,
    env: { PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = new Promise((resolve) => child.on('close', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
      if (found) resolve(found[0])
    })
    child.on('close', () => reject(new Error(`the corpus was not served: ${text}`)))
  })
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill()
      await closed
    },
  }
}
