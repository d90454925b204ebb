import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createEmptyDatabase } from '../support/database/test-database.ts'
import { startTestServer, systemPostgres } from '../support/database/test-server.ts'
import { html, openSite, pageOf } from '../support/network/site.ts'
import { type CliProcess, runCli, startCli, startShell } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { metricsOf } from '../support/process/runner-installation.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'

interface Rented {
  readonly url: string
  drop(): Promise<void>
}

async function onPostgres15(): Promise<Rented> {
  const binaries = systemPostgres(15)
  if (!binaries) throw new Error('Postgres 15 is not installed')
  const server = await startTestServer(binaries)
  return { url: server.url, drop: server.stop }
}

const KEY = 'the encryption key of a test'
/** No busy machine is silent for as long; the test of a killed worker moves the clock. */
const LEASE_SECONDS = 30

/** Returns the lines that are no JSON object. A line at the end may not be whole yet. */
const otherLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => !line.startsWith('{') || typeof JSON.parse(line) !== 'object')

// Processes start, several in a test, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 240_000 })

for (const [version, rent, isThere] of [
  ['18', createEmptyDatabase, true],
  ['15', onPostgres15, systemPostgres(15) !== null],
] as const)
  describeIf(isThere, `install postgresql-${version}`)(`The commands apart, on Postgres ${version}`, () => {
    let database: Rented
    let environment: Record<string, string>
    let client: pg.Client
    const running: CliProcess[] = []
    let bases: string[] = []
    let owner: { user_id: string; team_id: string; api_key: string; session_token: string }

    const start = (args: readonly string[], more: Record<string, string> = {}) => {
      const cli = startCli(args, { ...environment, ...more })
      running.push(cli)
      return cli
    }
    const ask = async (base: string | undefined, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${owner.api_key}`, 'content-type': 'application/json' }
      const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
      return fetch(`${base}${path}`, { headers, ...init })
    }
    const rows = async <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      (await client.query<T>(text, values)).rows

    const setClock = async (seconds: number) => {
      const name = (await rows<{ name: string }>('select current_database() as name'))[0]?.name
      await client.query(`alter database "${name}" set tidemark.clock_offset = '${seconds} seconds'`)
    }

    beforeAll(async () => {
      database = await rent()
      environment = {
        DATABASE_URL: database.url,
        TIDEMARK_ENCRYPTION_KEY: KEY,
        TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
        TIDEMARK_LEASE_SECONDS: String(LEASE_SECONDS),
        PORT: '0',
      }
      client = new pg.Client({ connectionString: database.url })
      await client.connect()
    })
    afterAll(async () => {
      await Promise.all(running.map((cli) => cli[Symbol.asyncDispose]()))
      await client.end()
      await database.drop()
    })

    test('a part refuses an unmigrated database; migrate says what it did, and that nothing is left', async () => {
      const early = await runCli(['worker'], environment)
      expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('tidemark migrate')])
      expect(early.stderr).not.toContain('    at ')
      const first = await runCli(['migrate'], environment)
      expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/^Applied 000001-/)])
    })

    test('create-owner prints what a script needs, and refuses the same address again', async () => {
      const args = ['admin', 'create-owner', '--email', 'Owner@example.com', '--plan', 'lite', '--json']
      const made = await runCli(args, environment)
      expect([made.code, made.stderr]).toEqual([0, ''])
      owner = JSON.parse(made.stdout)
      expect(owner).toMatchObject({
        user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        team_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        api_key: expect.stringMatching(/^svc_/),
        session_token: expect.stringMatching(/./),
      })
      const again = await runHere(args, environment)
      expect([again.code, again.stdout]).toEqual([1, ''])
      expect(again.stderr).toMatch(/^tidemark: there is already an account with the address owner@example\.com\n$/)
    })

    test.each([['api'], ['worker'], ['serve'], ['admin', 'create-key', '--email', 'owner@example.com', '--name', 'a']])(
      'with another encryption key, %s does not start, and says so',
      async (...args) => {
        const { code, stderr } = await runCli(args, {
          ...environment,
          TIDEMARK_ENCRYPTION_KEY: 'another key of a test',
        })
        expect([code, stderr]).toEqual([
          1,
          expect.stringMatching(/the encryption key is not the one that .*set up with/),
        ])
        expect(stderr).not.toContain('    at ')
      },
    )

    test(
      'a monitor made through one API is checked once by either of two workers, and its run is read through the ' +
        'other API.',
      async () => {
        const apis = [start(['api']), start(['api'])]
        start(['worker'])
        start(['worker'])
        bases = await Promise.all(apis.map(async (api) => (await api.says(/API is running at ([^\s"]+)"/))[1] ?? ''))
        await Promise.all(running.slice(2).map((worker) => worker.says(/checking and delivering/)))
        await using site = await openSite()
        const made = await ask(bases[0], '/v1/monitors', monitor(site.url))
        expect(made.status).toBe(201)
        const { id } = (await made.json()) as { id: string }
        const list = await eventually(
          async () => (await (await ask(bases[1], `/v1/monitors/${id}/runs`)).json()) as { data: { status: string }[] },
          ({ data }) => data.some(({ status }) => status === 'success'),
        )
        expect(list.data).toMatchObject([{ monitor_id: id, status: 'success', extracted: { price: '$1' } }])

        // Two more intervals, by the store's clock.
        for (const seconds of [70, 140]) {
          await setClock(seconds)
          await eventually(
            () => rows<{ n: number }>('select count(*)::int as n from runs'),
            ([row]) => row?.n === 1 + seconds / 70,
          )
        }
        expect(site.requests).toHaveLength(3)
      },
    )

    // What follows is about processes. The statements behind it run on both versions in the tests of the store.
    if (version !== '18') return

    test('a worker tells its readiness on the metrics port', async () => {
      const worker = start(['worker'], { TIDEMARK_METRICS_PORT: '0' })
      await worker.says(/checking and delivering/)
      const metrics = await metricsOf(worker)
      const ready = await eventually(
        () => fetch(`${metrics}/readyz`),
        (answer) => answer.status === 200,
      )
      expect(JSON.stringify(await ready.json())).toContain('moving')
      expect(await (await fetch(`${metrics}/metrics`)).text()).toContain('tidemark_checks_total')
      worker.signal('SIGTERM')
      expect(await worker.exited).toBe(0)
    })

    test('an API that has to stop is not ready from then on, answers for a while, and exits with 0', async () => {
      const api = start(['api'])
      const base = (await api.says(/API is running at ([^\s"]+)"/))[1] ?? ''
      expect((await fetch(`${base}/readyz`)).status).toBe(200)
      api.signal('SIGTERM')
      await api.says(/"msg":"draining"/)
      // Side by side: the while is five seconds.
      const [ready, answer] = await Promise.all([fetch(`${base}/readyz`), ask(base, '/v1/monitors')])
      expect([ready.status, answer.status]).toEqual([503, 200])
      expect(await api.exited).toBe(0)
    })

    // What collects logs in a cluster reads one object a line.
    test('each line that an API or a worker prints is a JSON object, from its start to its end', () => {
      expect(running.length).toBeGreaterThan(4)
      for (const { stdout, stderr } of running) expect(otherLines(`${stdout}${stderr}`)).toEqual([])
    })

    test('each line of an operator that cannot start is a JSON object', async () => {
      const { code, stdout, stderr } = await runCli(['operator', '--kubeconfig', '/missing/config'], environment)
      expect(code).toBe(1)
      expect(stderr).toContain('/missing/config')
      expect(otherLines(`${stdout}${stderr}`)).toEqual([])
    })

    test.each([
      ['api', /running at/],
      ['worker', /checking and delivering/],
    ])(
      'docs/operations.md has a line for %s that runs it under a supervisor, and SIGTERM to its process ends it with 0',
      async (part, said) => {
        const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
        const line = new RegExp(`^\\./tidemark ${part}$`, 'm').exec(page)?.[0]
        await using cli = startShell(`exec ${line}`, environment)
        await cli.says(said)
        cli.signal('SIGTERM')
        expect(await cli.exited).toBe(0)
        expect(() => process.kill(cli.pid, 0)).toThrow('ESRCH')
      },
    )

    test(
      'a worker killed in the middle of a check leaves it to another: one run, and one delivery to each ' +
        'destination.',
      async () => {
        await using site = await openSite()
        await using hook = await openSite()
        hook.answer((response) => response.writeHead(204).end())
        const deliveries = ['a', 'b'].map((path) => ({ type: 'webhook', url: `${hook.url}${path}` }))
        const made = await ask(bases[0], '/v1/monitors', { ...monitor(site.url), ...HOURLY, deliveries })
        const { id } = (await made.json()) as { id: string }
        const runs = () =>
          rows<{ id: string; status: string }>(
            'select r.id, r.status from runs r join monitors m on m.no = r.monitor_no where m.id = $1',
            [id],
          )
        await eventually(runs, (seen) => seen.length === 1)

        let workers = running.filter((cli) => cli.stdout.includes('checking'))
        site.answer(() => {})
        const asked = (await (await ask(bases[0], `/v1/monitors/${id}/run`, {})).json()) as { run_id: string }
        await eventually(
          () => site.requests.length,
          (n) => n === 2,
        )
        for (const worker of workers) worker.signal('SIGKILL')
        await Promise.all(workers.map((worker) => worker.exited))
        expect(await runs()).toHaveLength(1)
        site.answer(html(pageOf('$2')))
        workers = Array.from({ length: 2 }, () => start(['worker'], { TIDEMARK_METRICS_PORT: '0' }))
        await Promise.all(workers.map((worker) => worker.says(/checking and delivering/)))
        // The leases of the killed are over.
        await setClock(140 + LEASE_SECONDS + 1)
        await eventually(
          () => rows(`select from deliveries where status = 'success'`),
          (sent) => sent.length === 2,
        )

        const seen = await runs()
        expect(seen.map((run) => run.id)).toContain(asked.run_id)
        expect(seen).toHaveLength(2)
        expect(hook.requests.map(({ url }) => String(url)).toSorted((one, other) => one.localeCompare(other))).toEqual([
          '/a',
          '/b',
        ])
        // A run counts from its claim on, and the other monitor may be due by now.
        const counts =
          'select (select runs_used::int from team_usage) as used, (select count(*)::int from runs) as runs'
        await eventually(
          () => rows<{ used: number; runs: number }>(counts),
          ([count]) => count !== undefined && count.used === count.runs,
        )

        // Told to stop, the one that checks is not ready, and says so until it is done.
        let unanswered: ServerResponse | undefined
        site.answer((response) => void (unanswered = response))
        await ask(bases[0], `/v1/monitors/${id}/run`, {})
        await eventually(
          () => unanswered,
          (response) => response !== undefined,
        )
        for (const worker of workers) worker.signal('SIGTERM')
        await Promise.all(workers.map((worker) => worker.says(/"msg":"draining"/)))
        const ready = await Promise.any(workers.map(async (worker) => fetch(`${await metricsOf(worker)}/readyz`)))
        expect([ready.status, await ready.json()]).toEqual([
          503,
          { status: 'unavailable', checks: { process: 'stopping' } },
        ])
        unanswered?.end('')
        expect(await Promise.all(workers.map((worker) => worker.exited))).toEqual([0, 0])
      },
    )
  })

/** Not due again when the clock is moved. */
const HOURLY = { schedule_interval_seconds: 3600 }

const monitor = (url: string) => ({
  name: 'A kettle',
  url,
  schedule_interval_seconds: 60,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'field_changes', field: 'price' },
})
