import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRateLimits, type RateRule } from '../../../api/auth/rate-limits.ts'
import { ok, publicRoute } from '../../../api/http/route.ts'
import { createLogger } from '../../../core/logger.ts'
import { purgeRateLimits } from '../../../store/accounts/rate-limit.ts'
import { row } from '../../../store/db/row.ts'
import { routes, servedRoutes } from '../../support/api/all-routes.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

/** So far into a minute that it does not end during a test. */
const INTO_MS = 5_000
const LEFT_SECONDS = 60 - INTO_MS / 1_000

let api: TestApi
beforeAll(async () => {
  api = await createTestApi({ trustedProxies: ['127.0.0.1'] })
})
beforeEach(() => holdTheMinute(api))
afterAll(() => api.close())

/** Puts the clock near the beginning of a minute, this one or another. */
async function holdTheMinute({ databaseUrl, sql: run }: TestApi, minutes = 0): Promise<void> {
  const offset = minutes * 60_000 + INTO_MS - (Date.now() % 60_000)
  const name = new URL(databaseUrl).pathname.slice(1)
  await run(`alter database ${name} set tidemark.clock_offset = '${offset} milliseconds'`)
}

const log = createLogger('silent')
const passes = async (limits: ReturnType<typeof createRateLimits>, rule: RateRule, times: number) => {
  const verdicts = await Promise.all(Array.from({ length: times }, () => limits.take(rule)))
  return verdicts.filter(({ passed }) => passed).length
}
const used = (subject: string) =>
  api.services.store.oneFirst(
    sql.type(row({ used: Type.Integer() }))`select used from rate_limits where subject = ${subject}`,
  )

describe('a limit', () => {
  test.each([1, 5, 60, 6_000])('of %i lets exactly so many pass, however many come at once', async (perMinute) => {
    const limits = createRateLimits(api.services.store, log)
    expect(await passes(limits, { subject: `exactly ${perMinute}`, perMinute, exact: false }, perMinute + 100)).toBe(
      perMinute,
    )
  })

  test('is one limit for all replicas', async () => {
    const rule = { subject: 'replicas', perMinute: 5, exact: true }
    const [one, two] = [createRateLimits(api.services.store, log), createRateLimits(api.services.store, log)]
    const passed = await Promise.all([passes(one, rule, 10), passes(two, rule, 10)])
    expect(passed[0] + passed[1]).toBe(5)
  })

  test('is leased in blocks: a busy key hardly writes', async () => {
    const limits = createRateLimits(api.services.store, log)
    await passes(limits, { subject: 'blocks', perMinute: 6_000, exact: false }, 121)
    expect(await used('blocks')).toBe(240)
  })

  test('is counted request by request where it is exact', async () => {
    const limits = createRateLimits(api.services.store, log)
    await passes(limits, { subject: 'one by one', perMinute: 6_000, exact: true }, 7)
    expect(await used('one by one')).toBe(7)
  })

  test('that is used up refuses without asking the store again', async () => {
    const limits = createRateLimits(api.services.store, log)
    const rule = { subject: 'flood', perMinute: 3, exact: true }
    await passes(limits, rule, 4)
    const before = await used('flood')
    expect(await passes(limits, rule, 50)).toBe(0)
    expect(await used('flood')).toBe(before)
  })

  test('is whole again in the next minute', async () => {
    const own = await createTestApi()
    await holdTheMinute(own)
    const rule = { subject: 'next', perMinute: 2, exact: true }
    expect(await passes(createRateLimits(own.services.store, log), rule, 5)).toBe(2)
    await holdTheMinute(own, 1)
    expect(await passes(createRateLimits(own.services.store, log), rule, 5)).toBe(2)
    await own.close()
  })

  test('leaves no row behind of who has been silent', async () => {
    await api.sql(`insert into rate_limits values ('old', clock() - interval '6 minutes', 1), ('new', clock(), 1)`)
    await purgeRateLimits(api.services.store)
    expect(
      await api.services.store.anyFirst(sql.type(row({ subject: Type.String() }))`
      select subject from rate_limits where subject in ('old', 'new')`),
    ).toEqual(['new'])
  })
})

describe('over the API', () => {
  let limited: TestApi
  afterEach(() => limited.close())
  const start = async (rateLimit: number, table = routes) => {
    limited = await createTestApi({ rateLimit, trustedProxies: ['127.0.0.1'] }, table)
    await holdTheMinute(limited)
    return limited
  }
  const anonymous = (address: string, url = '/v1/keys') =>
    limited.app.inject({ url, headers: { 'x-forwarded-for': address } })

  test('each key and each session has its own, named in the headers, and 429 says when to come back', async () => {
    await start(3)
    const owner = await limited.owner()
    const answers = []
    for (let i = 0; i < 4; i += 1) answers.push(await limited.call(owner.api_key, 'GET', '/v1/keys'))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers[0]?.headers).toMatchObject({
      'ratelimit-policy': '"default";q=3;w=60',
      ratelimit: expect.stringMatching(/^"default";r=2;t=\d+$/),
    })
    const last = answers[3]
    expect(last?.body.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' })
    // A busy machine makes an account, with its password, in a few seconds of this minute.
    const leftSeconds = [String(answers[0]?.headers['ratelimit']).split('t=').at(-1), last?.headers['retry-after']]
    for (const seconds of leftSeconds.map(Number)) {
      expect(seconds).toBeGreaterThan(LEFT_SECONDS / 2)
      expect(seconds).toBeLessThanOrEqual(LEFT_SECONDS)
    }
    expect((await limited.call(owner.session_token, 'GET', '/v1/keys')).status).toBe(200)
    expect((await limited.call(await limited.key(owner, 'read'), 'GET', '/v1/keys')).status).toBe(200)
  })

  test('60 calls a minute without good credentials for each address, then 429; good ones still pass', async () => {
    await start(6_000)
    const { api_key } = await limited.owner()
    const statuses = []
    for (let i = 0; i < 62; i += 1) statuses.push((await anonymous('198.51.100.1')).statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(60)
    expect(statuses.slice(60)).toEqual([429, 429])
    expect((await anonymous('198.51.100.2')).statusCode).toBe(401)
    const good = { 'x-forwarded-for': '198.51.100.1', authorization: `Bearer ${api_key}` }
    expect((await limited.app.inject({ url: '/v1/keys', headers: good })).statusCode).toBe(200)
  })

  test('addresses of one IPv6 network share a limit', async () => {
    await start(6_000)
    for (let i = 0; i < 60; i += 1) await anonymous(`2001:db8:1:2::${i.toString(16)}`)
    expect((await anonymous('2001:db8:1:2:ffff::1')).statusCode).toBe(429)
    expect((await anonymous('2001:db8:1:3::1')).statusCode).toBe(401)
  })

  test('sign-in is limited to 10 a minute for each address, and for each account from wherever', async () => {
    await start(0)
    const attempt = (address: string, email: string) =>
      limited.app.inject({
        method: 'POST',
        url: '/auth/sign-in/email',
        headers: { 'x-forwarded-for': address },
        payload: { email, password: 'wrong password' },
      })
    const oneAddress = []
    for (let i = 0; i < 11; i += 1) oneAddress.push((await attempt('198.51.100.3', `user${i}@example.com`)).statusCode)
    expect(oneAddress).toEqual([...Array<number>(10).fill(401), 429])
    const oneAccount = []
    for (let i = 0; i < 11; i += 1)
      oneAccount.push((await attempt(`198.51.100.${i + 10}`, 'Victim@example.com')).statusCode)
    expect(oneAccount).toEqual([...Array<number>(10).fill(401), 429])
    // 20 passwords are hashed.
  }, 240_000)

  test('0 sets keys and anonymous calls free', async () => {
    await start(0)
    const { api_key } = await limited.owner()
    const answer = await limited.call(api_key, 'GET', '/v1/keys')
    expect(answer.headers).not.toHaveProperty('ratelimit')
    for (let i = 0; i < 65; i += 1) expect((await anonymous('198.51.100.4')).statusCode).toBe(401)
  })

  test('a public route may have a limit of its own', async () => {
    const preview = publicRoute({
      method: 'GET',
      path: '/v1/preview',
      summary: 'Preview',
      tag: 'Probe',
      policy: 'public',
      perAddress: 2,
      answers: { 200: { description: 'Done.' } },
      handle: async () => ok({}),
    })
    await start(6_000, [preview])
    const statuses = []
    for (let i = 0; i < 3; i += 1) statuses.push((await anonymous('198.51.100.5', '/v1/preview')).statusCode)
    expect(statuses).toEqual([200, 200, 429])
  })

  test.each([
    ['/docs/search?q=webhook', 60],
    ['/api/openapi.json', 300],
  ])('%s is answered %i times a minute for each address, whatever the limit of keys', async (url, most) => {
    await start(0, servedRoutes)
    const statuses = []
    for (let i = 0; i < most; i += 1) statuses.push((await anonymous('198.51.100.9', url)).statusCode)
    expect(statuses).toEqual(Array<number>(most).fill(200))
    const refused = await anonymous('198.51.100.9', url)
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ error: { code: 'RATE_LIMIT_EXCEEDED' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await anonymous('198.51.100.10', url)).statusCode).toBe(200)
  })

  test('two methods of one address have limits of their own', async () => {
    const probe = (method: 'GET' | 'POST', perAddress: number) =>
      publicRoute({
        method,
        path: '/v1/both',
        summary: 'Both',
        tag: 'Probe',
        policy: 'public',
        perAddress,
        answers: { 200: { description: 'Done.' } },
        handle: async () => ok({}),
      })
    await start(6_000, [probe('GET', 5), probe('POST', 1)])
    const from = { 'x-forwarded-for': '198.51.100.8' }
    for (let i = 0; i < 5; i += 1)
      expect((await limited.app.inject({ url: '/v1/both', headers: from })).statusCode).toBe(200)
    const post = async () => (await limited.app.inject({ method: 'POST', url: '/v1/both', headers: from })).statusCode
    expect([await post(), await post()]).toEqual([200, 429])
  })

  test('health is exempt', async () => {
    await start(1)
    for (let i = 0; i < 70; i += 1) expect((await anonymous('198.51.100.6', '/healthz')).statusCode).toBe(200)
  })
})

test('without trusted proxies X-Forwarded-For changes nothing', async () => {
  const direct = await createTestApi({ rateLimit: 6_000 })
  await holdTheMinute(direct)
  for (let i = 0; i < 60; i += 1)
    await direct.app.inject({ url: '/v1/keys', headers: { 'x-forwarded-for': `198.51.100.${i}` } })
  expect((await direct.app.inject({ url: '/v1/keys', headers: { 'x-forwarded-for': '203.0.113.1' } })).statusCode).toBe(
    429,
  )
  await direct.close()
})
