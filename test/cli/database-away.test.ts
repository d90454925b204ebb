import { expect, test } from 'vitest'
import { startBreakablePostgres } from '../support/database/breakable-postgres.ts'
import { openSite } from '../support/network/site.ts'
import { startCli } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'

const RUNNING = /Tidemark is running at (http:\/\/127\.0\.0\.1:[1-9]\d*)\n[\s\S]*API key\s+(svc_\w+)/
/** Requests that are refused meanwhile, beside what the loops do. */
const REQUESTS = 40

const settingsOf = ({ url }: { readonly url: string }, { path }: { readonly path: string }) => ({
  DATABASE_URL: url,
  TIDEMARK_ENCRYPTION_KEY: 'a key of the tests, which is long enough',
  TIDEMARK_DATA_DIR: path,
  PORT: '0',
})

test('a database that stops and starts again is one line each in the log of the whole process', async () => {
  await using postgres = await startBreakablePostgres()
  await using folder = await temporaryFolder()
  await using site = await openSite()
  await using serve = startCli(['serve'], {
    ...settingsOf(postgres, folder),
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    TIDEMARK_RUNNER_API_PORT: '0',
  })
  const [, base = '', key = ''] = await serve.says(RUNNING)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin: base }
  const monitors = () => fetch(`${base}/v1/monitors`, { headers })
  const signIn = () =>
    fetch(`${base}/auth/sign-in/email`, { method: 'POST', headers, body: '{"email":"a@example.com","password":"x"}' })
  const create = {
    name: 'kettle',
    url: `${site.origin}/kettle`,
    schedule_interval_seconds: 60,
    extract_config: { method: 'full_page' },
    diff_predicate: { type: 'any_field_changes' },
    deliveries: [{ type: 'webhook', url: `${site.origin}/hook` }],
  }
  const made = await fetch(`${base}/v1/monitors`, { method: 'POST', headers, body: JSON.stringify(create) })
  expect(made.status).toBe(201)
  const before = serve.stdout.length

  await postgres.stopAtOnce()
  await serve.says(/the store is away/)
  for (let n = 0; n < REQUESTS; n++) expect((await (n % 4 === 0 ? signIn() : monitors())).status).toBe(503)
  const metrics = await (await fetch(`${base}/metrics`)).text()
  expect(metrics).toMatch(/^tidemark_store_away 1$/m)
  await postgres.start()
  await eventually(monitors, ({ status }) => status === 200)
  await serve.says(/the store is back/)

  const lines = serve.stdout
    .slice(before)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: string; msg: string; failed?: Record<string, number> })
    .filter(({ level }) => level !== 'info')
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the store is away; what needs it waits or is refused',
    'the store is back',
  ])
  expect(lines[1]?.failed?.['requests']).toBe(REQUESTS)
  expect(serve.stderr).toBe('')
}, 120_000)

test('an API that only probes ask writes a line when the database goes, and one when it is back', async () => {
  await using postgres = await startBreakablePostgres()
  await using folder = await temporaryFolder()
  await using api = startCli(['api'], settingsOf(postgres, folder))
  const [, base = ''] = await api.says(/API is running at (http:\/\/[^\s"]+)"/)
  const lines = api.stdout.split('\n').slice(0, -1)
  expect(lines.filter((line) => !line.startsWith('{') || typeof JSON.parse(line) !== 'object')).toEqual([])
  const ready = () => fetch(`${base}/readyz`)
  await eventually(ready, ({ status }) => status === 200)

  await postgres.stopAtOnce()
  await eventually(ready, ({ status }) => status === 503)
  await api.says(/the store is away/)
  await postgres.start()
  await eventually(ready, ({ status }) => status === 200)
  await api.says(/"probes":.*the store is back/)
}, 120_000)
