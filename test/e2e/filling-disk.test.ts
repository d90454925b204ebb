import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createEmptyDatabase } from '../support/database/test-database.ts'
import { openSite } from '../support/network/site.ts'
import { startCli } from '../support/process/cli-process.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { mountSmallDisk } from '../support/run/small-disk.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'

vi.setConfig({ testTimeout: 120_000 })

const DISK_MEGABYTES = 20
const KEY = 'the encryption key of a test'
const SETTINGS = { TIDEMARK_ENCRYPTION_KEY: KEY, TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8', PORT: '0' }

interface Service {
  readonly base: string
  call(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: Body }>
  metric(name: string): Promise<string | undefined>
}

type Body = Readonly<Record<string, unknown>>

async function serviceOf(serve: ReturnType<typeof startCli>): Promise<Service> {
  const [, base = '', key = ''] = await serve.says(/running at (\S+)\n[\s\S]*API key\s+(svc_\w+)/)
  return {
    base,
    async call(method, path, body) {
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Body) }
    },
    async metric(name) {
      const lines = (await (await fetch(`${base}/metrics`)).text()).split('\n')
      return lines.find((line) => line.startsWith(name))
    },
  }
}

/** A monitor whose destination gets the notices. */
const monitorOf = (url: string, hook: string) => ({
  name: 'A kettle',
  url,
  schedule_interval_seconds: 3600,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'any_field_changes' },
  deliveries: [{ type: 'webhook', url: hook }],
  notify_on: ['quota'],
})

const isMounted = process.getuid?.() === 0 && process.platform === 'linux'
describeIf(isMounted, 'run as root on Linux')('A data folder whose disk fills', () => {
  test('is notified of once for each level, stops previews, and neither checks nor deliveries', async () => {
    const disk = await mountSmallDisk(DISK_MEGABYTES)
    if ('refused' in disk) throw new Error(disk.refused)
    await using _disk = disk
    const useUpTo = async (percent: number) => {
      await using file = await open(join(disk.path, 'other'), 'w')
      await file.writeFile(Buffer.alloc((DISK_MEGABYTES * (1 << 20) * percent) / 100, 1))
    }
    await using site = await openSite()
    await using hook = await openReceiver(reply(204))
    const database = await createEmptyDatabase()
    await using _database = { [Symbol.asyncDispose]: () => database.drop() }
    await using serve = startCli(['serve'], { ...SETTINGS, DATABASE_URL: database.url, TIDEMARK_DATA_DIR: disk.path })
    const service = await serviceOf(serve)
    const made = await service.call('POST', '/v1/monitors', monitorOf(site.url, hook.url))
    expect(made.status).toBe(201)
    const preview = { url: site.url, extract_config: { method: 'css', fields: { price: '.price' } } }
    expect((await service.call('POST', '/v1/monitors/preview', preview)).status).toBe(200)

    const noticeOf = async (level: number) => {
      const isOfLevel = ({ quota }: Body) => (quota as Body | undefined)?.['threshold_pct'] === level
      const [notice] = await eventually(
        () => hook.requests.map(({ body }) => JSON.parse(body.toString('utf8')) as Body).filter(isOfLevel),
        (found) => found.length > 0,
        { forMs: 60_000, everyMs: 300 },
      )
      return notice
    }
    await useUpTo(92)
    expect(await noticeOf(90)).toMatchObject({
      kind: 'quota',
      quota: { pool: 'disk', place: 'data_folder', limit: DISK_MEGABYTES * (1 << 20), resets_at: null },
      title: 'The disk of the data folder is 92 % full',
    })
    expect((await service.call('POST', '/v1/monitors/preview', preview)).status).toBe(200)

    await useUpTo(96)
    expect(await noticeOf(95)).toMatchObject({
      title: 'The disk of the data folder is 96 % full, and previews and pictures have stopped',
    })
    const refused = await eventually(
      () => service.call('POST', '/v1/monitors/preview', preview),
      ({ status }) => status !== 200,
      { forMs: 60_000, everyMs: 300 },
    )
    expect(refused).toMatchObject({
      status: 507,
      body: {
        error: {
          code: 'INSUFFICIENT_STORAGE',
          message: expect.stringMatching(/^The disk of the data folder is 96 % full, with 0 MB left\. Previews wait/),
        },
      },
    })
    expect(await service.metric('tidemark_disk_used_bytes{place="data_folder"}')).toMatch(/ 2\d{7}$/)
    expect(await service.metric('tidemark_disk_refusals_total{what="previews"}')).toMatch(/ \d+$/)

    site.price('$17.49')
    await service.call('POST', `/v1/monitors/${String(made.body['id'])}/run`)
    await eventually(
      () => hook.requests.filter(({ body }) => body.includes('17.49')),
      (arrived) => arrived.length === 1,
      { forMs: 60_000, everyMs: 300 },
    )

    await useUpTo(50)
    await eventually(
      () => service.call('POST', '/v1/monitors/preview', preview),
      ({ status }) => status === 200,
      { forMs: 60_000, everyMs: 300 },
    )
    const quotas = hook.requests.filter(({ headers }) => headers.get('service-event') === 'notice.quota')
    expect(quotas).toHaveLength(2)
    await serve.says(/previews and new pictures have stopped/)
    await serve.says(/previews and new pictures go on/)
    serve.signal('SIGTERM')
    expect(await serve.exited).toBe(0)
  })
})

test('a database that reaches TIDEMARK_DATABASE_MAX_BYTES refuses previews, and says which limit it is', async () => {
  await using site = await openSite()
  const database = await createEmptyDatabase()
  await using _database = { [Symbol.asyncDispose]: () => database.drop() }
  await using serve = startCli(['serve'], {
    ...SETTINGS,
    DATABASE_URL: database.url,
    TIDEMARK_DATABASE_MAX_BYTES: '5000000',
  })
  const service = await serviceOf(serve)
  const preview = { url: site.url, extract_config: { method: 'css', fields: { price: '.price' } } }
  expect(await service.call('POST', '/v1/monitors/preview', preview)).toMatchObject({
    status: 507,
    body: { error: { message: expect.stringMatching(/^The database is \d+ % full, with 0 MB left\./) } },
  })
  expect(await service.metric('tidemark_disk_size_bytes{place="database"}')).toMatch(/ 5000000$/)
})
