import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { setExtracted } from '../../support/database/change-runs.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type RemoteServer, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let remote: RemoteServer
let kettle = ''
let rank = ''
beforeAll(async () => {
  remote = await startRemoteServer()
  const deliveries = [{ type: 'webhook', url: 'https://hooks.example.com/private', headers: { 'X-Team': 'hidden' } }]
  kettle = await remote.watch('kettle', { deliveries })
  const search = { name: 'rank', keyword: 'electric kettle', schedule_interval_seconds: 86_400 }
  const made = await remote.ask<{ id: string }>('POST', '/v1/serp-monitors', {
    ...search,
    target_domain: 'example.com',
  })
  rank = made.id
}, 60_000)
afterAll(() => remote[Symbol.asyncDispose]())

/** A server that answers as a test says. */
async function stub(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const NO_ENVIRONMENT = { TIDEMARK_URL: '', TIDEMARK_API_KEY: '' }

describe('login', () => {
  const profiles = () => join(remote.folder, '.config/tidemark/profiles.json')

  test('checks the key, and keeps it where only this account reads it; later commands use it', async () => {
    const { base, key } = remote
    const done = await remote.sh(`echo ${key} | ./tidemark login ${base}/v1/`, NO_ENVIRONMENT)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toContain(`Logged in to ${base}, to a team on the plan unlimited`)
    expect(done.stdout).not.toContain(key)
    expect(((await stat(profiles())).mode & 0o777).toString(8)).toBe('600')
    expect((await remote.sh('./tidemark get', NO_ENVIRONMENT)).stdout).toMatch(/^kettle +active /m)
  })

  test('a wrong key is refused and changes no file', async () => {
    const before = await readFile(profiles(), 'utf8')
    const wrong = await remote.sh(`echo svc_wrong | ./tidemark login ${remote.base}`, NO_ENVIRONMENT)
    expect(wrong).toMatchObject({ code: 77, stderr: expect.stringContaining('refuses the key of this login') })
    expect(await readFile(profiles(), 'utf8')).toBe(before)
  })

  test.each([
    ['http://[', 'must be an address'],
    ['ftp://example.com', 'must be an address'],
    ['https://me:pass@example.com', 'must not contain a user name'],
  ])('the address %s is refused', async (address, reason) => {
    const { code, stderr } = await remote.sh(`echo svc_x | ./tidemark login '${address}'`, NO_ENVIRONMENT)
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)])
  })

  test('the key of a profile is sent to no other address: one variable without the other is refused', async () => {
    const half = await remote.sh('./tidemark get', { TIDEMARK_API_KEY: '' })
    expect(half).toMatchObject({ code: 2, stderr: expect.stringContaining('set both, or none') })
  })

  test('a broken file of profiles is reported, and not replaced', async () => {
    await writeFile(profiles(), '{"profiles": ')
    const broken = await remote.sh('echo svc_x | ./tidemark login http://127.0.0.1:1', NO_ENVIRONMENT)
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('remove it') })
    expect(await readFile(profiles(), 'utf8')).toBe('{"profiles": ')
  })
})

test('the variables of these commands keep no other command from its start', async () => {
  const settings = { DATABASE_URL: remote.databaseUrl, TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test' }
  const done = await remote.sh('./tidemark admin list-keys --email owner@tidemark.local', settings)
  expect(done).toMatchObject({ code: 0, stderr: '' })
})

describe('get', () => {
  test('lists both kinds in a table without colours where no terminal is', async () => {
    const { code, stdout } = await remote.sh('./tidemark get')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^NAME +STATUS +LAST RUN +FAILURES +DELIVERED +WATCHES\n/)
    expect(stdout).toMatch(new RegExp(`^kettle +active +\\d+[sm] +0 +- +${remote.site.url}$`, 'm'))
    expect(stdout).toMatch(/^rank +active +.* no destination +google: electric kettle$/m)
    const wide = (await remote.sh('./tidemark get -o wide')).stdout
    expect(wide).toMatch(/^NAME +KIND +STATUS +INTERVAL +LAST RUN +NEXT RUN +FAILURES +DELIVERED +KEY +ID +WATCHES\n/)
    expect(wide).toMatch(/^rank +serpmonitor +active +1d /m)
    expect(stdout).not.toContain('\u001b')
  })

  test('the form name is what other commands take; json and yaml are the records of the API', async () => {
    expect((await remote.sh('./tidemark get -o name')).stdout).toBe(`monitor/${kettle}\nserpmonitor/${rank}\n`)
    const record = await remote.ask('GET', `/v1/monitors/${kettle}`)
    const json = await remote.sh(`./tidemark get monitor/${kettle} --json`)
    expect(JSON.parse(json.stdout)).toMatchObject({ ...(record as object), next_run_at: expect.any(String) })
    const yaml = await remote.sh('./tidemark get serp -o yaml')
    expect(parse(yaml.stdout)).toEqual([await remote.ask('GET', `/v1/serp-monitors/${rank}`)])
  })
})

test('programs get runs with the whole of values that lists cut', async () => {
  const id = await remote.watch('long values')
  const whole = 'x'.repeat(20_000)
  await setExtracted(remote, id, { price: whole })
  type Shown = { readonly extracted: { readonly price: string }; readonly truncated?: readonly string[] }
  const [cut] = (await remote.ask<{ data: Shown[] }>('GET', `/v1/monitors/${id}/runs`)).data
  expect([cut?.extracted.price.length, cut?.truncated]).toEqual([16_384, ['extracted.price']])
  const listed = JSON.parse((await remote.sh(`./tidemark runs ${id} -o json`)).stdout) as Shown[]
  const described = JSON.parse((await remote.sh(`./tidemark describe ${id} -o json`)).stdout) as { runs: Shown[] }
  const tailed = JSON.parse((await remote.sh(`./tidemark tail ${id} --count 1 -o json`)).stdout) as Shown
  for (const run of [listed.at(-1), described.runs.at(-1), tailed]) {
    expect(run?.extracted.price).toBe(whole)
    expect(run).not.toHaveProperty('truncated')
  }
  await remote.sh(`./tidemark delete ${id}`)
})

test('describe shows the configuration with masked secrets, the state and the last runs', async () => {
  const { code, stdout } = await remote.sh('./tidemark describe kettle')
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^Id: +${kettle}$`, 'm'))
  expect(stdout).toContain('https://hooks.example.com/********')
  expect(stdout).toMatch(/X-Team: "?\*{8}/)
  expect(stdout).toMatch(/^ {2}\d+[sm] +success +\d+ +no +- +price: \$1$/m)
  for (const form of ['json', 'yaml', 'table'])
    expect((await remote.sh(`./tidemark describe kettle -o ${form}`)).stdout).not.toMatch(/private|hidden/)
})

describe('run', () => {
  test('--wait shows the end of the run; runs lists it with what changed', async () => {
    remote.site.price('$2')
    const { code, stdout } = await remote.sh('./tidemark run kettle --wait')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^kettle .* success .*price: \$1 → \$2 \(\+100 %\)$/m)])
    const listed = await remote.sh('./tidemark runs kettle --limit 1 --json')
    expect(JSON.parse(listed.stdout)).toMatchObject([{ status: 'success', extracted: { price: '$2' } }])
  })

  test('--wait exits with 1 where the run fails, and says why', async () => {
    const id = await remote.watch('gone', { url: remote.site.page('/gone', (answer) => answer.writeHead(404).end()) })
    const { code, stdout } = await remote.sh('./tidemark run gone --wait')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^gone .* error .*404/m)])
    await remote.ask('DELETE', `/v1/monitors/${id}`)
  })

  test('without --wait it prints the run, which a script can follow', async () => {
    const { stdout } = await remote.sh('./tidemark run kettle -o name')
    const id = /^run\/(\S+)\n$/.exec(stdout)?.[1]
    const run = () => remote.ask<{ status: string }>('GET', `/v1/runs/${id}`)
    expect(await eventually(run, ({ status }) => status !== 'running')).toMatchObject({ status: 'success' })
  })
})

describe('pause, resume and delete', () => {
  test('do it to each that is named; one that does not exist does not keep the others from it', async () => {
    const paused = await remote.sh('./tidemark pause kettle nothing serpmonitor/rank')
    expect(paused).toMatchObject({ code: 1, stdout: 'monitor kettle paused\nserpmonitor rank paused\n' })
    expect(paused.stderr).toContain('there is no monitor "nothing"')
    expect(await remote.ask('GET', `/v1/serp-monitors/${rank}`)).toMatchObject({ status: 'paused' })
    const resumed = await remote.sh('./tidemark get --status paused -o name | xargs ./tidemark resume --json')
    expect(JSON.parse(resumed.stdout)).toMatchObject([{ name: 'kettle' }, { name: 'rank', done: 'resumed' }])
  })

  test('mute and unmute do it to those that are named, or that match now', async () => {
    await remote.ask('PATCH', `/v1/monitors/${kettle}`, { labels: { env: 'prod' } })
    const muted = await remote.sh('./tidemark mute --label env=prod --for 1h30m --reason "a new version"')
    expect(muted).toMatchObject({ code: 0, stdout: expect.stringMatching(/^monitor kettle muted until \d{4}-.*Z\n$/) })
    const { mute } = await remote.ask<{ mute: { until: string; reason: string } }>('GET', `/v1/monitors/${kettle}`)
    expect(Date.parse(mute.until) - Date.now()).toBeGreaterThan(80 * 60_000)
    expect(Date.parse(mute.until) - Date.now()).toBeLessThan(91 * 60_000)
    expect((await remote.sh('./tidemark get kettle')).stdout).toContain('active, muted')
    const described = (await remote.sh('./tidemark describe kettle')).stdout
    expect(described).toMatch(/^Muted: +until .*; a new version$/m)
    expect(await remote.sh('./tidemark mute serpmonitor/rank --drop')).toMatchObject({
      stdout: 'serpmonitor rank muted until you unmute it\n',
    })
    expect(await remote.sh('./tidemark unmute kettle serpmonitor/rank')).toMatchObject({
      code: 0,
      stdout: 'monitor kettle unmuted\nserpmonitor rank unmuted\n',
    })
    expect(await remote.ask('GET', `/v1/monitors/${kettle}`)).not.toHaveProperty('mute')
    await remote.ask('PATCH', `/v1/monitors/${kettle}`, { labels: {} })
  })

  test.each([
    ['mute kettle --for soon', /--for takes a duration/],
    ['mute kettle --for 0m', /until must be in the future/],
    ['mute kettle --for 999999w', /at most 50 years/],
    ['mute kettle --until 2036-02-30', /--until takes a time/],
    ['mute kettle --until later', /--until takes a time/],
    ['mute kettle --for 1h --until 2036-12-01T08:00:00Z', /not both/],
    ['mute', /say which monitor/],
    ['mute kettle --label env=prod', /leave the names out/],
  ])('%s is refused', async (line, why) => {
    const { code, stderr } = await remote.sh(`./tidemark ${line}`)
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(why)])
  })

  test('--ignore-not-found deletes what exists', async () => {
    expect(await remote.sh('./tidemark delete nothing --ignore-not-found')).toMatchObject({ code: 0, stderr: '' })
    expect(await remote.sh('./tidemark delete nothing')).toMatchObject({ code: 1 })
  })
})

describe('export', () => {
  test('prints manifests of both kinds, with references instead of secrets', async () => {
    const { code, stdout } = await remote.sh('./tidemark export')
    expect(code).toBe(0)
    const documents = parseAllDocuments(stdout).map((one) => one.toJS() as { kind: string; metadata: { name: string } })
    expect(documents.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
      ['Monitor', 'kettle'],
      ['SerpMonitor', 'rank'],
    ])
    expect(stdout).not.toContain('/private')
    const json = await remote.sh('./tidemark export --json')
    expect(JSON.parse(json.stdout)).toEqual({ apiVersion: 'v1', kind: 'List', items: documents })
  })

  test('--dir writes a file for each', async () => {
    expect(await remote.sh('./tidemark export --dir out')).toMatchObject({ code: 0 })
    expect((await readdir(join(remote.folder, 'out'))).sort()).toEqual(['kettle.monitor.yaml', 'rank.serpmonitor.yaml'])
  })
})

const EMPTY = JSON.stringify({ data: [], pagination: { hasMore: false } })

describe('a server that does not do what was asked', () => {
  test('does not answer: 69', async () => {
    const { code, stdout, stderr } = await remote.sh('./tidemark get', { TIDEMARK_URL: 'http://127.0.0.1:8' })
    expect([code, stdout]).toEqual([69, ''])
    expect(stderr).toContain('http://127.0.0.1:8 does not answer (ECONNREFUSED): is it running')
  })

  test('refuses the key: 77, and the key is not printed', async () => {
    const { code, stderr } = await remote.sh('./tidemark get', { TIDEMARK_API_KEY: 'svc_of_somebody_else' })
    expect([code, stderr]).toEqual([77, expect.stringContaining('refuses the key of the environment')])
    expect(stderr).not.toContain('svc_of')
  })

  test('is no Tidemark: the beginning of its answer is shown', async () => {
    await using other = await stub((_, response) => response.end('<html>Welcome to \u001b[31mnginx'))
    const { code, stderr } = await remote.sh('./tidemark get', { TIDEMARK_URL: other.url })
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not the address of a Tidemark API')])
    expect(stderr).toContain('Welcome to \\u001b[31mnginx')
  })

  test('redirects: the key is not sent on', async () => {
    const asked: string[] = []
    await using target = await stub((request, response) => {
      asked.push(request.url ?? '')
      response.end('{}')
    })
    await using other = await stub((_, response) => response.writeHead(308, { location: `${target.url}/v1` }).end())
    const { code, stderr } = await remote.sh('./tidemark get', { TIDEMARK_URL: other.url })
    expect([code, asked]).toEqual([1, []])
    expect(stderr).toContain(`redirects to ${target.url}/v1`)
  })

  test('has no time for a moment: the request is repeated as the server asks', async () => {
    let count = 0
    const list = JSON.stringify({ data: [], pagination: { hasMore: false } })
    await using busy = await stub((_, response) => {
      count += 1
      if (count === 1) response.writeHead(503, { 'retry-after': '1' }).end('busy')
      else if (count === 2) response.destroy()
      else response.end(list)
    })
    expect(await remote.sh('./tidemark get', { TIDEMARK_URL: busy.url })).toMatchObject({ code: 0 })
    expect(count).toBe(4)
  })

  test('loses the answer to a run: it is not asked for again', async () => {
    const record = { id: kettle, name: 'kettle' }
    const list = JSON.stringify({ data: [record], pagination: { hasMore: false } })
    let runs = 0
    let status: number | null = null
    await using lost = await stub((request, response) => {
      if (request.method !== 'POST') return void response.end(request.url?.includes('/serp') ? EMPTY : list)
      runs += 1
      if (status === null) response.destroy()
      else response.writeHead(status).end('{}')
    })
    const cut = await remote.sh('./tidemark run kettle', { TIDEMARK_URL: lost.url })
    expect([cut.code, runs]).toEqual([69, 1])
    expect(cut.stderr).toContain('may have done this all the same')
    status = 502
    expect(await remote.sh('./tidemark run kettle', { TIDEMARK_URL: lost.url })).toMatchObject({ code: 69 })
    expect(runs).toBe(2)
  })

  test('is older than the command: that is said with both versions', async () => {
    const error = { code: 'VALIDATION_ERROR', message: 'The query is not valid.', details: [], requestId: 'x' }
    await using older = await stub((_, response) =>
      response.writeHead(422, { 'tidemark-version': '0.0.9' }).end(JSON.stringify({ error })),
    )
    const { stderr } = await remote.sh('./tidemark get', { TIDEMARK_URL: older.url })
    expect(stderr).toMatch(
      /The query is not valid\.\nThis command is version \d\S+, and the server is 0\.0\.9: .* Update/,
    )
  })
})
