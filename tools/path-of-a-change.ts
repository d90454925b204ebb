import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../platform/postgres/start-embedded-postgres.ts'

/**
 * `node tools/path-of-a-change.ts` counts the files whose code a change runs through: `POST /v1/monitors`, the first
 * check, the check that finds the change, its record, and the webhook.
 *
 * It runs `tidemark serve` with V8's coverage and names each file of the repository in which a function was called
 * during that time, in the process and in its threads. Functions of loops that run on a timer count too, so the figure
 * is an upper bound. What only loops without a part in a change run is left out.
 */
const NO_PART = [
  '/maintenance/',
  // Mails of the installation.
  'deliveries/notices/notice-loop.ts',
  'store/queue/claim-search.ts',
  // Asked work that nobody waits for any more.
  'store/asked/asked-work.ts',
  'store/quota/give-back.ts',
]
const ROOT = join(import.meta.dirname, '..')
const HOOK = join(import.meta.dirname, 'path-of-a-change/coverage-hook.ts')
const folder = await mkdtemp(join(tmpdir(), 'tidemark-path-'))
await using cleanup = new AsyncDisposableStack()
cleanup.defer(() => rm(folder, { recursive: true, force: true }))

let price = '10 EUR'
const page = await listen(cleanup, (_request, response) => {
  response.setHeader('content-type', 'text/html').end(`<html><body><b id="price">${price}</b></body></html>`)
})
let hooks = 0
const sink = await listen(cleanup, (request, response) => {
  request.resume().on('end', () => {
    hooks += 1
    response.end('ok')
  })
})

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const postgres = await startEmbeddedPostgres({ dataDir: folder, log })
cleanup.defer(() => postgres.stop())
const client = new pg.Client({ connectionString: postgres.url })
await client.connect()
cleanup.defer(() => client.end())

const { child, base, key } = await startServe()
const answers = (kind: string) =>
  once(child, 'message').then(([message]) => (message as Record<string, string[]>)[kind])

await earlyInAMinute()
const warmUp = await watch('warm-up')
// Its checks are not part of the change that is counted.
await fetch(`${base}/v1/monitors/${warmUp}`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } })
child.send('start')
await answers('started')
await watch('counted')
child.send('take')
const files = (await answers('files')) ?? []
const passed = files.filter((file) => !NO_PART.some((part) => file.includes(part)))
for (const file of passed.sort()) console.log(file)
console.log(`${passed.length} files`)
child.kill('SIGTERM')
await once(child, 'exit')

/**
 * Creates a monitor, lets its first check set the baseline, changes the page, and waits for the webhook. Returns the id
 * of the monitor.
 */
async function watch(name: string): Promise<string> {
  const before = hooks
  const answer = await fetch(`${base}/v1/monitors`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      name,
      url: `${page}/${name}`,
      schedule_interval_seconds: 60,
      extract_config: { method: 'css', fields: { price: '#price' } },
      diff_predicate: { type: 'any_field_changes' },
      deliveries: [{ type: 'webhook', url: `${sink}/${name}` }],
    }),
  })
  if (answer.status !== 201) throw new Error(`POST /v1/monitors: ${answer.status} ${await answer.text()}`)
  const { id } = (await answer.json()) as { id: string }
  await until(async () => {
    const { rows } = await client.query(
      'select from checks c join monitors m using (no) where m.id = $1 and c.last_run_at is not null',
      [id],
    )
    return rows.length === 1
  })
  price = `${Number.parseInt(price, 10) + 1} EUR`
  const { rows } = await client.query<{ name: string }>('select current_database() as name')
  const database = client.escapeIdentifier(rows[0]?.name ?? '')
  await client.query(`alter database ${database} set tidemark.clock_offset = '${hooks * 3 + 3} minutes'`)
  await until(async () => hooks > before)
  return id
}

/** Once a minute a request also gets a block of its rate limit. Both changes are to happen within one minute. */
async function earlyInAMinute(): Promise<void> {
  const second = new Date().getSeconds()
  if (second > 30) await new Promise((resolve) => setTimeout(resolve, (60 - second) * 1_000))
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error('nothing happened for a minute')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function startServe() {
  const env = {
    ...process.env,
    PORT: '0',
    DATABASE_URL: postgres.url,
    TIDEMARK_DATA_DIR: folder,
    TIDEMARK_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
  }
  const child = fork(join(ROOT, 'cli/tidemark.ts'), ['serve'], {
    // The coverage of code from a cache is not exact.
    env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' },
    execArgv: ['--import', HOOK],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  cleanup.defer(() => void child.kill('SIGKILL'))
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk)
    if (text.includes('svc_')) break
  }
  const base = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
  const key = /svc_\w+/.exec(text)?.[0]
  if (base === undefined || key === undefined) throw new Error(`serve printed neither address nor key:\n${text}`)
  return { child, base, key }
}

async function listen(stack: AsyncDisposableStack, handler: RequestListener): Promise<string> {
  const server: Server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
