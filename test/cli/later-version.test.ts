import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPages, type Pages } from '../faults/pages.ts'
import { openSink, type Sink } from '../faults/sink.ts'
import { quietNow } from '../support/api/quiet-now.ts'
import { createEmptyDatabase } from '../support/database/test-database.ts'
import { freePort } from '../support/network/free-port.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { until } from '../support/run/until.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'
import { type Api, besides, type Versions } from './versions.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What a process needs of the source. */
const LEFT_OUT = ['node_modules', 'test', 'bench', 'pulumi']

/** Replaces a text of a file that is there once. */
async function change(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  expect(text.split(from), `${file}: ${from}`).toHaveLength(2)
  await writeFile(file, text.replace(from, to))
}

/** Copies this version. Returns the path of a file of the copy's schema. */
async function copyVersion(folder: string): Promise<(file: string) => string> {
  await mkdir(folder)
  for (const name of await readdir(ROOT))
    if (!LEFT_OUT.includes(name) && !name.startsWith('.'))
      await cp(join(ROOT, name), join(folder, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return (file) => join(folder, 'schema', file)
}

/** Makes a version that takes no work above level 1: all that has a level in this one. */
async function makeEarlier(folder: string): Promise<void> {
  await change((await copyVersion(folder))('level.ts'), 'WORK_LEVEL = 2', 'WORK_LEVEL = 1')
}

/** Makes the next version: this one with a key of level 3 in what is extracted, and one in destinations. */
async function makeLater(folder: string): Promise<void> {
  const of = await copyVersion(folder)
  await change(of('level.ts'), 'WORK_LEVEL = 2', 'WORK_LEVEL = 3')
  await change(of('monitor/extract-config.ts'), 'css: {', 'css: { treatment: Type.Optional(since(3, Text(1, 20))),')
  const raw = 'webhook: { raw: Type.Optional(since(3, Type.Boolean())),'
  await change(of('monitor/delivery-config.ts'), 'webhook: {', raw)
}

/** Pages that no other test changes. */
const LEVEL_PAGE = 9
const HELD_PAGE = 8

describe('Versions of several levels on one database', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>
  let pages: Pages
  let sink: Sink
  let versions: Versions<'earlier' | 'this' | 'later'>
  let api: Awaited<ReturnType<typeof versions.startApi>>
  let laterApi: typeof api
  beforeAll(async () => {
    folder = await temporaryFolder()
    database = await createEmptyDatabase()
    pages = await openPages(10)
    sink = await openSink()
    const [earlier, later] = [join(folder.path, 'earlier'), join(folder.path, 'later')]
    await Promise.all([makeEarlier(earlier), makeLater(later)])
    const dataFolder = join(folder.path, 'data')
    versions = besides({
      roots: { earlier, this: ROOT, later },
      newest: 'later',
      databaseUrl: database.url,
      dataFolder,
    })
    await versions.ended('this', 'migrate')
    await versions.createOwner('this')
    api = await versions.startApi('this')
    laterApi = await versions.startApi('later')
  }, 60_000)
  afterAll(async () => {
    await versions[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
    await pages[Symbol.asyncDispose]()
    await database.drop()
    await folder[Symbol.asyncDispose]()
  })

  const CSS = { method: 'css', fields: { version: '.version' } }
  /** Of this version: the one before knows no such type. */
  const LINES = { type: 'lines_added', field: 'version' }
  const LATER = { ...CSS, treatment: 'trimmed' }
  const make = async (by: Api, page: number, more: object = {}): Promise<string> => {
    const { id } = await by('POST', '/v1/monitors', {
      name: `Page ${page}`,
      url: `${pages.base}/${page}`,
      schedule_interval_seconds: 86_400,
      extract_config: CSS,
      diff_predicate: { type: 'any_field_changes' },
      ...more,
    })
    return id
  }
  const runs = async (id: string): Promise<string[]> =>
    (await api('GET', `/v1/monitors/${id}/runs`)).data.map(({ status }: { status: string }) => status)
  const hasRun = (id: string) =>
    eventually(
      () => runs(id),
      (all) => all.includes('success'),
      { forMs: 90_000 },
    )

  test('a worker leaves checks above its level, and the later one takes them', async () => {
    const { startWorker, stop } = versions
    const treated = await make(laterApi, 0, { extract_config: LATER })
    const raw = { type: 'webhook', url: `${sink.base}/1`, raw: true }
    const sentRaw = await make(laterApi, 1, { deliveries: [raw] })
    const plain = await make(laterApi, 2)
    const worker = await startWorker('this')
    await hasRun(plain)
    // They were due before it.
    expect([await runs(treated), await runs(sentRaw)]).toEqual([[], []])

    await api('POST', `/v1/monitors/${treated}/run`)
    const later = await startWorker('later')
    await hasRun(treated)
    await hasRun(sentRaw)
    // An edit raises the level of a check that the older worker had before.
    await laterApi('PATCH', `/v1/monitors/${plain}`, { deliveries: [{ ...raw, url: `${sink.base}/2` }] })
    for (const [page, id] of [
      [1, sentRaw],
      [2, plain],
    ] as const) {
      pages.change(page)
      await api('POST', `/v1/monitors/${id}/run`)
    }
    await until(
      () => sink.arrivals.length,
      (arrived) => arrived === 2,
    )
    expect(new Set(sink.arrivals.map(({ page }) => page))).toEqual(new Set([1, 2]))
    await stop(later)
    await stop(worker)
  }, 120_000)

  test('the API shows and keeps keys that it does not know, and refuses a PATCH of their object', async () => {
    const id = await make(laterApi, 3, { extract_config: LATER })
    const path = `/v1/monitors/${id}`
    expect(await api('GET', path)).toMatchObject({ extract_config: LATER })
    await api('PATCH', path, { name: 'Renamed' })
    const { status, text } = await api.refused('PATCH', path, { extract_config: CSS })
    expect(status, text).toBe(409)
    expect(text).toMatch(/extract_config\.treatment.*Upgrade the API/)
    expect(await laterApi('GET', path)).toMatchObject({ name: 'Renamed', extract_config: LATER })
    await laterApi('PATCH', path, { extract_config: CSS })
    await api('PATCH', path, { extract_config: { ...CSS, fields: { version: 'b.version' } } })
  }, 60_000)

  test('a runner says its level: a later worker keeps from it what it would misread', async () => {
    const { startWorker, startRunner, stop } = versions
    const port = String(await freePort())
    await startWorker('later', { TIDEMARK_BROWSER_PAGES: '0', TIDEMARK_RUNNER_API_PORT: port })
    const treated = await make(laterApi, 4, { extract_config: LATER, fetch_mode: 'browser' })
    const plain = await make(laterApi, 5, { fetch_mode: 'browser' })
    const runner = await startRunner('this', port)
    await hasRun(plain)
    expect(await runs(treated)).toEqual([])
    await stop(runner)
    await startRunner('later', port)
    await hasRun(treated)
  }, 180_000)

  test('a worker below this level leaves services, messages, predicates, holds and mutes to the others', async () => {
    const { startApi, startWorker } = versions
    await versions.endAll()
    api = await startApi('this')
    const madeWith = (more: object) => make(api, LEVEL_PAGE, more)
    const succeeds = (id: string, times: number) =>
      eventually(
        () => runs(id),
        (all) => all.filter((status) => status === 'success').length === times,
        { forMs: 90_000 },
      )
    const url = `${sink.base}/${LEVEL_PAGE}`
    const hook = { type: 'webhook', url }
    const chat = { ...hook, service: 'mattermost' }
    const quiet_hours = { from: '00:00', until: '23:59', time_zone: 'Etc/UTC' }
    const structured = { method: 'json_path', read_as: 'structured_data', fields: { version: '$.meta.version' } }
    // Each has been due for longer than the plain one.
    const later = await Promise.all([
      madeWith({ deliveries: [chat] }),
      madeWith({ deliveries: [{ ...chat, message: { text: 'Now {{fields.version.after}}' } }] }),
      madeWith({ deliveries: [{ ...chat, digest: { every_seconds: 3600 } }] }),
      madeWith({ deliveries: [{ ...hook, quiet_hours }] }),
      madeWith({ diff_predicate: { type: 'composite', operator: 'OR', conditions: [LINES] } }),
      madeWith({ deliveries: [], extract_config: structured }),
      madeWith({ deliveries: [], extract_config: { ...CSS, clean: { version: [{ do: 'unique' }] } } }),
      madeWith({ deliveries: [], extract_config: { ...CSS, ignore: { selectors: ['.ad'] } } }),
    ])
    const plain = await madeWith({ deliveries: [] })
    const muted = await madeWith({ deliveries: [hook] })
    await startWorker('earlier')
    await succeeds(plain, 1)
    await succeeds(muted, 1)
    expect((await Promise.all(later.map(runs))).flat()).toEqual([])

    const before = sink.arrivals.length
    await api('POST', `/v1/monitors/${muted}/mute`, { until: null })
    pages.change(LEVEL_PAGE)
    for (const id of [muted, plain]) await api('POST', `/v1/monitors/${id}/run`)
    await succeeds(plain, 2)
    // The one that was asked for waits.
    expect(await runs(muted)).toEqual(['running', 'success'])

    await startWorker('this')
    for (const id of later) await succeeds(id, 1)
    await succeeds(muted, 2)
    const { data } = await api('GET', `/v1/monitors/${muted}/runs`)
    expect(data[0]).toMatchObject({ held: 'muted', delivery_triggered: true })
    expect(sink.arrivals).toHaveLength(before)
    await api('POST', `/v1/monitors/${muted}/unmute`)
    await until(
      () => sink.arrivals.length,
      (count) => count === before + 1,
    )
    expect(sink.arrivals.at(-1)).toMatchObject({ page: LEVEL_PAGE, after: `v${pages.version(LEVEL_PAGE)}` })
  }, 240_000)

  test('a worker below this level sends no row of deliveries and notices that waits or has own words', async () => {
    const { startApi, startWorker, stop } = versions
    await versions.endAll()
    api = await startApi('this')
    let answer = reply(503)
    await using receiver = await openReceiver((...asked) => answer(...asked))
    const hook = { type: 'webhook', url: receiver.url }
    const chat = { ...hook, service: 'mattermost' }
    const slack = { type: 'slack', webhookUrl: receiver.url }
    const message = { text: 'Now {{monitor.name}}' }
    const later = {
      service: chat,
      message: { ...slack, message },
      digest: { ...chat, digest: { every_seconds: 3600 } },
      hours: { ...hook, quiet_hours: quietNow(2) },
      muted: hook,
    }
    /** Makes one that fires at a change, and one that has a notice at its first run. */
    const madeWith = async (name: string, delivery: object) => {
      const to = (path: string) => [withAddress(delivery, `${receiver.url}/${name}-${path}`)]
      const without = { extract_config: { method: 'css', fields: { version: '.none' } }, notify_on: ['field_missing'] }
      return [
        await make(api, HELD_PAGE, { deliveries: to('change') }),
        await make(api, HELD_PAGE, { deliveries: to('notice'), ...without }),
      ] as const
    }
    const both = (names: readonly string[]) => names.flatMap((name) => [`${name}-change`, `${name}-notice`])
    const arrived = (since: number) =>
      new Set(receiver.requests.slice(since).map(({ path }) => path.slice(path.lastIndexOf('/') + 1)))
    const arrive = (since: number, names: readonly string[]) =>
      until(
        () => arrived(since),
        (seen) => names.every((name) => seen.has(name)),
      )

    const [plain] = await madeWith('plain', hook)
    const firing = [plain]
    for (const [name, delivery] of Object.entries(later)) {
      const ids = await madeWith(name, delivery)
      const mute = { until: new Date(Date.now() + 3_600_000).toISOString() }
      if (name === 'muted') for (const id of ids) await api('POST', `/v1/monitors/${id}/mute`, mute)
      firing.push(ids[0])
    }
    const worker = await startWorker('this')
    for (const id of firing) await hasRun(id)
    pages.change(HELD_PAGE)
    for (const id of firing) await api('POST', `/v1/monitors/${id}/run`)
    await using rows = await openRows(database.url)
    for (const outbox of ['deliveries', 'notices'] as const)
      await eventually(
        () => rows.unsent(outbox),
        (count) => count === firing.length,
        { forMs: 90_000 },
      )
    await stop(worker)

    // From now on all of them are due.
    await rows.setClock('3 hours')
    answer = reply(200)
    const before = receiver.requests.length
    await startWorker('earlier')
    await arrive(before, both(['plain']))
    // One more, which fires later than the others were due.
    const count = receiver.requests.length
    pages.change(HELD_PAGE)
    await api('POST', `/v1/monitors/${plain}/run`)
    await arrive(count, ['plain-change'])
    expect(arrived(before)).toEqual(new Set(both(['plain'])))

    await startWorker('this')
    await arrive(before, both(Object.keys(later)))
  }, 240_000)
})

/** Returns a destination with another address. */
const withAddress = (delivery: object, address: string) => ({
  ...delivery,
  ...('webhookUrl' in delivery ? { webhookUrl: address } : { url: address }),
})

/** A look at the outboxes of a database, and its clock. */
async function openRows(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async unsent(outbox: 'deliveries' | 'notices'): Promise<number> {
      const { rows } = await client.query(`select count(*)::int as count from ${outbox} where due_at is not null`)
      return rows[0].count
    },
    setClock: (ahead: string) =>
      client.query(`alter database "${new URL(url).pathname.slice(1)}" set tidemark.clock_offset = '${ahead}'`),
    [Symbol.asyncDispose]: () => client.end(),
  }
}
