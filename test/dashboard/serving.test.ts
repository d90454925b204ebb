import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionCookieName } from '../../api/auth/sign-in-options.ts'
import { dashboardRoutes } from '../../api/dashboard/dashboard-routes.ts'
import { servedRoutesOf } from '../../api/routes.ts'
import { SERVED_KINDS } from '../../boot/kinds.ts'
import { buildDashboard } from '../../tools/build/build-dashboard.ts'
import { createTestApi, type TestApi } from '../support/api/test-api.ts'

const SOURCE = join(import.meta.dirname, '../../dashboard')
const ID = '0190f3d0-0000-7000-8000-000000000000'

let folder: string
let built: string
let api: TestApi
let cookie: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-dashboard-'))
  built = join(folder, 'dist')
  api = await createTestApi({}, servedRoutesOf(SERVED_KINDS, dashboardRoutes(built)))
  const { session_token: token } = await api.owner()
  cookie = `${sessionCookieName(api.services.baseUrl)}=${encodeURIComponent(token)}`
})
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true, force: true })
})

const get = (url: string, headers: Readonly<Record<string, string>> = { cookie }) =>
  api.app.inject({ method: 'GET', url, headers: { host: '127.0.0.1:8080', ...headers } })

// In this order: the first test is of an installation that has built nothing.
describe('the dashboard', () => {
  test('that is not built says by which command it is', async () => {
    for (const url of ['/', `/monitors/${ID}`]) {
      const { statusCode, payload, headers } = await get(url)
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(payload).toContain('npm run prepare')
    }
    expect((await get('/assets/x/app.js')).statusCode).toBe(404)
    await buildDashboard(SOURCE, built)
  })

  test('is one page at each of its addresses, which is asked for again at each use', async () => {
    const page = await get('/')
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers).toMatchObject({ 'cache-control': 'private, no-cache', etag: expect.stringMatching(/^W\/"/) })
    for (const url of [
      '/?q=a&label=a%3Db',
      `/monitors/${ID}`,
      `/serp-monitors/${ID}`,
      `/monitors/${ID}/runs/${ID}`,
      `/serp-monitors/${ID}/runs/${ID}`,
      '/monitors/none',
    ])
      expect([url, (await get(url)).payload]).toEqual([url, page.payload])
    const again = await get('/', { cookie, 'if-none-match': String(page.headers.etag) })
    expect([again.statusCode, again.payload]).toEqual([304, ''])
  })

  test('has a page where there is nothing, and scripts get an error as everywhere', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const page = await get('/nothing-of-ours', { accept })
    expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.payload).toContain('There is nothing at this address.')
    expect(page.payload).toContain('href="/"')
    for (const [url, headers] of [
      ['/nothing-of-ours', { accept: '*/*' }],
      ['/v1/nothing-of-ours', { accept }],
    ] as const) {
      const { statusCode, payload } = await get(url, headers)
      expect([statusCode, JSON.parse(payload).error.code]).toEqual([404, 'NOT_FOUND'])
    }
  })

  test('loads files that never change, compressed for whoever can read it', async () => {
    const page = await get('/')
    const paths = Array.from(page.payload.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path = '']) => path)
    expect(new Set(paths.map((path) => path.split('.').pop()))).toEqual(new Set(['css', 'js', 'svg']))
    for (const path of paths) {
      const file = await get(path, {})
      expect([path, file.statusCode]).toEqual([path, 200])
      expect(file.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      })
      const { headers, rawPayload } = await get(path, { 'accept-encoding': 'br, gzip' })
      expect(headers['content-encoding']).toBe('gzip')
      const unpacked = await new Response(
        new Blob([rawPayload]).stream().pipeThrough(new DecompressionStream('gzip')),
      ).bytes()
      expect(Buffer.from(unpacked).equals(file.rawPayload), path).toBe(true)
    }
    const [old] = paths.map((path) => path.replace(/assets\/[^/]+/, 'assets/0000000000000000'))
    const gone = await get(old ?? '', {})
    expect([gone.statusCode, gone.headers['cache-control']]).toEqual([404, 'no-store'])
  })

  test.each(['..%2Findex.html', '%2e%2e%2findex.html', 'app.js.gz', 'app.js%00', '%zz'])(
    'serves nothing for %s',
    async (name) => {
      const { payload } = await get('/')
      const hash = /assets\/([\w-]+)\//.exec(payload)?.[1]
      expect((await get(`/assets/${hash}/${name}`)).statusCode).toBeGreaterThanOrEqual(400)
    },
  )

  test('may only run, show and ask what is served here', async () => {
    const { headers } = await get('/')
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'none'; " +
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
        "require-trusted-types-for 'script'; trusted-types default",
    )
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    })
  })

  test.each([
    ['/', '/'],
    ['/?q=a%20b&label=a%3Db', '/?q=a+b&label=a%3Db'],
    [`/monitors/${ID}/runs/${ID}`, `/monitors/${ID}/runs/${ID}`],
    ['/monitors/%2F%2Fevil.example', '/monitors/%2F%2Fevil.example'],
  ])('leads whoever is not signed in from %s to the sign-in, and back', async (url, next) => {
    for (const headers of [{}, { cookie: cookie.replace('=', '=x') }]) {
      const { statusCode, headers: answered } = await get(url, headers)
      expect([statusCode, answered.location]).toEqual([302, `/sign-in?next=${encodeURIComponent(next)}`])
      expect(answered['cache-control']).toBe('no-store')
    }
  })
})
