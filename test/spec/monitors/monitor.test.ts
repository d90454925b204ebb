import { describe, expect, test } from 'vitest'
import { createMonitor, faultsOf, MONITOR } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('monitor', () => {
  test('a monitor has the seventeen fields of the table, and beyond them what is marked so', async () => {
    const monitor = await createMonitor(served.me)
    expect(monitor).toEqual({
      id: expect.stringMatching(UUID),
      user_id: served.owner.user_id,
      ...MONITOR,
      deliveries: [],
      status: 'active',
      template_slug: null,
      consecutive_failures: 0,
      fetch_mode: 'auto',
      request_headers: null,
      request_config: null,
      visual_config: null,
      notify_on: [],
      quiet_hours: null,
      message: null,
      digest: null,
      isolation: 'shared',
      external_key: null,
      labels: {},
      managed_by: 'api',
      last_run_at: null,
      next_run_at: expect.stringMatching(INSTANT),
      created_at: expect.stringMatching(INSTANT),
    })
  })

  test.each([
    ['name', { name: 'a' }],
    ['name', { name: 'ä'.repeat(200) }],
    ['schedule_interval_seconds', { schedule_interval_seconds: 60 }],
    ['schedule_interval_seconds', { schedule_interval_seconds: 31_536_000 }],
    ['url', { url: 'http://example.com:8080/a?b=c#d' }],
    ['url', { url: `https://example.com/${'a'.repeat(2028)}` }],
    ['fetch_mode', { fetch_mode: 'browser' }],
    ['template_slug', { template_slug: 'generic-css-selector' }],
  ])('%s takes %j and gives it back', async (_, given) => {
    expect(await createMonitor(served.me, given)).toMatchObject(given)
  })

  test.each([
    ['name', ''],
    ['name', 'a'.repeat(201)],
    ['name', 7],
    ['name', null],
    ['name', 'a\u0000b'],
    ['name', '\ud800'],
    ['url', ''],
    ['url', 'example.com'],
    ['url', 'ftp://example.com/'],
    ['url', 'javascript:alert(1)'],
    ['url', 'https://user:password@example.com/'],
    ['url', 'https://exa mple.com/'],
    ['url', `https://example.com/${'a'.repeat(2029)}`],
    ['schedule_interval_seconds', 59],
    ['schedule_interval_seconds', 0],
    ['schedule_interval_seconds', 60.5],
    ['schedule_interval_seconds', '60'],
    ['schedule_interval_seconds', null],
    ['fetch_mode', 'proxy'],
    ['fetch_mode', null],
    ['template_slug', ''],
    ['extract_config', null],
    ['diff_predicate', []],
    ['deliveries', null],
    ['deliveries', {}],
  ])('%s refuses %j', async (key, value) => {
    expect(await faultsOf(served.me, { [key]: value })).toEqual([key])
  })

  test.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://10.1.2.3/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://metadata.google.internal/',
    'https://example.com:25/',
  ])('a target that is private or not the port of a web server is refused when it is saved: %s', async (url) => {
    expect(await faultsOf(served.me, { url })).toEqual(['url'])
  })

  test('the signing secret is not included', async () => {
    const { id } = await createMonitor(served.me, { deliveries: [{ type: 'webhook', url: 'https://example.com/' }] })
    const { body } = await served.me.get(`/v1/monitors/${id}`)
    const { secret } = (await served.me.get(`/v1/monitors/${id}/signing-secret`)).body
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(body)).not.toContain(secret)
    expect(Object.keys(body).filter((key) => key.includes('secret'))).toEqual([])
  })
})
