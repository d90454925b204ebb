import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts'
import { openSite, pageOf } from '../support/network/site.ts'
import { type CliProcess, startCli } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly status: { readonly code: number }
  readonly links: readonly { readonly traceId: string }[]
}

/** A collector that takes OTLP over HTTP. */
async function openCollector() {
  const spans: Span[] = []
  const asked: { path: string | undefined; key: unknown; service: unknown }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString())
      asked.push({
        path: request.url,
        key: request.headers['x-key'],
        service: resourceSpans[0].resource.attributes[0].value.stringValue,
      })
      spans.push(...resourceSpans[0].scopeSpans[0].spans)
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, spans, asked, close, [Symbol.asyncDispose]: close }
}

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const RUNNING = /Tidemark is running at (http:\/\/127\.0\.0\.1:[1-9]\d*)\n[\s\S]*API key\s+(svc_\w+)/
const MINE = { trace: 'a'.repeat(32), span: 'b'.repeat(16) }

async function asking(serve: CliProcess) {
  const [, base = '', key = ''] = await serve.says(RUNNING)
  return async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    return {
      answer,
      body: (await answer.json()) as { id: string; run_id: string; data: { completed_at: string | null }[] },
    }
  }
}

const attribute = (span: Span | undefined, key: string) =>
  Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0]

test('a trace leads from the call that asks for a run over the check to the webhook', async () => {
  await using collector = await openCollector()
  await using folder = await temporaryFolder()
  await using site = await openSite()
  const hook = site.page('/hook', 'ok')
  const page = site.page('/page', pageOf('$1'))
  await using serve = startCli(['serve'], {
    DATABASE_URL: database.url,
    TIDEMARK_ENCRYPTION_KEY: 'a key of the tests, which is long enough',
    TIDEMARK_DATA_DIR: folder.path,
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key',
    OTEL_SERVICE_NAME: 'tidemark-test',
  })
  const ask = await asking(serve)
  const { body: monitor } = await ask('POST', '/v1/monitors', {
    name: 'kettle',
    url: page,
    schedule_interval_seconds: 3600,
    extract_config: { method: 'css', fields: { price: '.price' } },
    diff_predicate: { type: 'any_field_changes' },
    deliveries: [{ type: 'webhook', url: hook }],
  })
  // A run is listed from its claim on; the page may change once its first one has ended.
  await eventually(
    () => ask('GET', `/v1/monitors/${monitor.id}/runs`),
    ({ body }) => typeof body.data[0]?.completed_at === 'string',
  )
  site.page('/page', pageOf('$2'))
  const { answer, body: started } = await ask('POST', `/v1/monitors/${monitor.id}/run`)
  const traceId = started.run_id.replaceAll('-', '')
  expect(answer.headers.get('traceparent')).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))

  const ofRun = () => collector.spans.filter((span) => span.traceId === traceId)
  const names = ['POST /v1/monitors/:id/run', 'check', 'delivery webhook', 'extract', 'fetch', 'record', 'wait']
  await eventually(ofRun, (spans) => spans.length === names.length)
  const byName = new Map(ofRun().map((span) => [span.name, span]))
  expect([...byName.keys()].toSorted()).toEqual(names)
  const check = byName.get('check')
  for (const name of ['wait', 'fetch', 'extract', 'record', 'delivery webhook'])
    expect(byName.get(name)?.parentSpanId).toBe(check?.spanId)
  expect(attribute(check, 'tidemark.outcome')).toBe('changed')
  expect(attribute(check, 'tidemark.monitor_id')).toBe(monitor.id)
  expect(attribute(byName.get('delivery webhook'), 'http.response.status_code')).toBe('200')
  for (const { startTimeUnixNano: from, endTimeUnixNano: to } of ofRun()) {
    expect(BigInt(to)).toBeGreaterThanOrEqual(BigInt(from))
    expect(Math.abs(Number(BigInt(from) / 1_000_000n) - Date.now())).toBeLessThan(60_000)
  }

  // Who has a trace already goes on in it; a link leads to the run.
  const traceparent = `00-${MINE.trace}-${MINE.span}-01`
  const again = await ask('POST', `/v1/monitors/${monitor.id}/run`, undefined, { traceparent })
  expect(again.answer.headers.get('traceparent')).toMatch(new RegExp(`^00-${MINE.trace}-`))
  const [mine] = await eventually(
    () => collector.spans.filter((span) => span.traceId === MINE.trace),
    (spans) => spans.length === 1,
  )
  expect(mine).toMatchObject({
    parentSpanId: MINE.span,
    kind: 2,
    links: [{ traceId: again.body.run_id.replaceAll('-', '') }],
  })
  expect(collector.asked[0]).toEqual({ path: '/v1/traces', key: 'a key', service: 'tidemark-test' })

  // A collector that goes away is told once, and nothing waits for it.
  await collector.close()
  for (let n = 0; n < 5; n++) await ask('GET', '/v1/monitors')
  await serve.says(/the trace collector is away/)
  serve.signal('SIGTERM')
  expect(await serve.exited).toBe(0)
  expect(serve.stdout.match(/the trace collector/g)).toHaveLength(1)
}, 120_000)
