import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { forTerminal } from '../../../core/printable.ts'
import { certificate, rawServer } from '../../support/network/raw-server.ts'
import { startShell } from '../../support/process/cli-process.ts'
import { runHere } from '../../support/process/run-here.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

const ROOT = join(import.meta.dirname, '../../..')
const ID = '01990000-0000-7000-8000-000000000001'
/** Sets the title of the window, clears it, and goes on in 8 bits; the last hides the text behind it. */
const ESCAPES = '\u001b]0;owned\u0007\u001b[2J\u009b2J\u001b[8m'
const RECORD = {
  id: `${ID}${ESCAPES}`,
  name: `kettle${ESCAPES}`,
  url: `http://page.example/${ESCAPES}`,
  status: `active${ESCAPES}`,
  schedule_interval_seconds: 60,
  consecutive_failures: `0${ESCAPES}`,
  last_run_at: `2026-05-01T00:00:00Z${ESCAPES}`,
  next_run_at: null,
  created_at: `2026-05-01T00:00:00Z${ESCAPES}`,
  external_key: `kettle${ESCAPES}`,
  request_headers: null,
  deliveries: [{ type: 'webhook', url: `https://hook.example/${ESCAPES}` }],
  extract_config: { method: 'css', fields: { price: `.price${ESCAPES}` } },
}
const DELIVERY = {
  id: ID,
  monitor_id: ID,
  run_id: `run${ESCAPES}`,
  delivery_type: `webhook${ESCAPES}`,
  destination: `https://hook.example/${ESCAPES}`,
  payload: { type: 'notice', title: `kettle${ESCAPES}`, monitor: { name: `kettle${ESCAPES}` } },
  status: 'dead',
  attempts: `1${ESCAPES}`,
  next_attempt_at: null,
  last_attempt_at: `2026-05-01T00:00:00Z${ESCAPES}`,
  created_at: `2026-05-01T00:00:00Z${ESCAPES}`,
  response_status: `500${ESCAPES}`,
  response_body: `no${ESCAPES}\nat all${ESCAPES}`,
}
const VALUES = (nth: number) => ({
  [`price${ESCAPES}`]: `${nth}${ESCAPES}`,
  list: [`${nth}${ESCAPES}`],
  text: `one\n${nth}${ESCAPES}`,
})
const RUN = {
  id: ID,
  started_at: `2026-05-01T00:00:00Z${ESCAPES}`,
  status: 'success',
  delivery_triggered: true,
  extracted: VALUES(2),
  diff: { fields_changed: Object.keys(VALUES(1)), before: VALUES(1), after: VALUES(2) },
  visual_change_pct: 1,
  warnings: [`warned${ESCAPES}`],
}
const TEXTS = {
  fields: [
    { field: 'text', of: 'value', lines_added: 1, lines_removed: 1, unified: `@@\n-1${ESCAPES}\n+2${ESCAPES}\n` },
  ],
}
const IMAGES = {
  regions: [
    { label: `menu${ESCAPES}`, changedPct: 1, hasChanges: true, diffUrl: null, afterUrl: `http://a/${ESCAPES}` },
  ],
}
/** What is answered to requests for one record; for lists, to those that begin so. */
const RECORDS: Readonly<Record<string, object>> = {
  [`/v1/monitors/${ID}`]: RECORD,
  [`/v1/deliveries/${ID}`]: DELIVERY,
  [`/v1/runs/${ID}`]: RUN,
  [`/v1/runs/${ID}/diff`]: TEXTS,
  [`/v1/run-images/${ID}`]: IMAGES,
}
const LISTS: Readonly<Record<string, object>> = {
  '/v1/monitors': RECORD,
  '/v1/deliveries': DELIVERY,
}
const MANIFEST = `apiVersion: tidemark.dev/v1\nkind: Monitor\nmetadata:\n  name: kettle\n# ${ESCAPES}\n`

let server: Server
let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tidemark-hostile-'))
  server = createServer(({ url = '' }, response) => {
    const isText = url.endsWith('/manifest')
    response.setHeader('content-type', isText ? 'application/yaml' : 'application/json')
    if (isText) response.end(MANIFEST)
    else {
      const [path = '', query] = url.split('?')
      // The id of the record has more than the id that was asked for.
      const isRuns = path.startsWith(`/v1/monitors/${ID}`) && path.endsWith('/runs')
      const [record, item] = [RECORDS[path], isRuns ? RUN : LISTS[path]]
      if (record) response.end(JSON.stringify(record))
      else response.end(JSON.stringify({ data: item && query ? [item] : [], pagination: { hasMore: false } }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.close()
  await rm(home, { recursive: true })
})

async function run(line: string) {
  const { port } = server.address() as AddressInfo
  const environment = {
    HOME: home,
    TIDEMARK_URL: `http://127.0.0.1:${port}`,
    TIDEMARK_API_KEY: `svc_${'a'.repeat(40)}`,
  }
  await using shell = startShell(line, environment, home)
  const code = await shell.exited
  return { code, stdout: shell.stdout, stderr: shell.stderr }
}

const onTerminal = (words: string) => run(`script -qec '${join(ROOT, 'tidemark')} ${words}' /dev/null`)
/** Colours of ours, which `get` and `describe` print on a terminal. */
const withoutColours = (text: string) => text.replaceAll(/\u001b\[(?:3[1239]|90)m/g, '')
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

test.each([
  ['get'],
  [`get ${ID} -o wide`],
  [`get ${ID} -o name`],
  [`get ${ID} --json`],
  [`get ${ID} -o yaml`],
  [`describe ${ID}`],
  [`describe ${ID} -o name`],
  [`describe ${ID} -o yaml`],
  [`export ${ID}`],
  [`export ${ID} -o name`],
  [`get ${ID} nothing`],
  ['deliveries'],
  ['deliveries -o wide'],
  [`delivery ${ID}`],
  [`delivery ${ID} -o yaml`],
  [`changes ${ID}`],
  [`changes ${ID} --json`],
  [`runs ${ID}`],
  [`tail ${ID} --count 1`],
])('%s shows a terminal nothing of a hostile server that it would act on', async (words) => {
  const { stdout } = await onTerminal(words)
  expect(stdout).toMatch(/kettle|01990000|price/)
  expect(withoutColours(stdout)).not.toMatch(CONTROL)
})

test('a manifest goes to a pipe exactly, and JSON so that programs read the same', async () => {
  expect((await run(`${join(ROOT, 'tidemark')} export ${ID}`)).stdout).toBe(MANIFEST)
  const { stdout } = await run(`${join(ROOT, 'tidemark')} get ${ID} --json`)
  expect(JSON.parse(stdout)).toEqual(RECORD)
})

test('what stands in an output for a terminal keeps its lines and our colours, and nothing else', () => {
  expect(forTerminal('a\tb\n\u001b[32mactive\u001b[39m\r\u001b[8mx\u009b1m')).toBe(
    'a\tb\n\u001b[32mactive\u001b[39m \\u001b[8mx\\u009b1m',
  )
})

/** What else writes: a log on a terminal, a counter, a question, the words of commander, the functions themselves. */
const WRITERS = [
  'boot/process/until-stopped.ts',
  'cli/commands/admin-encryption-key.ts',
  'cli/remote/ask-hidden.ts',
  'cli/run-command-line.ts',
  'platform/print.ts',
]

test('every command prints through print and tell', () => {
  const direct = globSync(['{boot,cli}/**/*.ts', 'platform/print.ts'], { cwd: ROOT }).filter((file) =>
    /\b(?:stdout|stderr)\.write|console\./.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(direct.sort()).toEqual(WRITERS)
})

test('an address with http of a port with TLS is said to be one', async () => {
  await using tls = await rawServer((socket) => socket.end(), certificate('good'))
  const environment = { HOME: home, TIDEMARK_URL: `http://127.0.0.1:${tls.port}`, TIDEMARK_API_KEY: 'svc_a' }
  const { code, stderr } = await runHere(['get'], environment)
  expect([code, stderr]).toEqual([
    69,
    expect.stringContaining('where it speaks TLS on this port, use https:// in the address of'),
  ])
})

test('an address with https of a port without TLS is said to be one', async () => {
  const { port } = server.address() as AddressInfo
  const environment = { HOME: home, TIDEMARK_URL: `https://127.0.0.1:${port}`, TIDEMARK_API_KEY: 'svc_a' }
  const { code, stderr } = await runHere(['get'], environment)
  expect(code).toBe(69)
  expect(stderr).toContain('it speaks no TLS on this port, so use http:// in the address of')
  expect(stderr).not.toContain('NODE_EXTRA_CA_CERTS')
})
