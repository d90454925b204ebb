import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { POLICIES, type PolicyName } from '../../../api/auth/policies.ts'
import { buildApp } from '../../../api/http/app.ts'
import { ok, publicRoute, type Route, route } from '../../../api/http/route.ts'
import { ACCESS, CALLERS } from '../../../schema/account/access.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { routes } from '../../support/api/all-routes.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

/** All that is open to everybody. A route is added here only on purpose. */
const PUBLIC = [
  'GET /api/openapi.json',
  // Its address is signed, and holds for minutes.
  'GET /v1/images/:token',
  // Whoever has the token of an invitation was sent it.
  'GET /v1/team/invitation',
  'POST /auth/sign-up/email',
  'POST /auth/sign-in/email',
  'POST /auth/sign-out',
  'GET /auth/get-session',
  'GET /auth/list-sessions',
  'POST /auth/revoke-session',
  'POST /auth/revoke-other-sessions',
  'POST /auth/change-password',
  'POST /auth/reset-password',
  'POST /auth/request-password-reset',
  'POST /auth/send-verification-email',
  'POST /auth/verify-email',
  'POST /auth/update-user',
]
const EACH = ['anonymous', ...CALLERS] as const

/** Who passes each policy. */
const PASSES: Readonly<Record<PolicyName, readonly string[]>> = ACCESS

const probes = Object.keys(POLICIES).map((policy) =>
  route({
    method: 'GET',
    path: `/v1/probe/${policy}`,
    summary: policy,
    tag: 'Probe',
    policy: policy as PolicyName,
    answers: { 200: { description: 'Passed.' } },
    handle: async () => ok({}),
  }),
)

let api: TestApi
let owner: CreatedOwner
let credentials: Record<(typeof EACH)[number], string | null>
beforeAll(async () => {
  api = await createTestApi({}, [...routes, ...probes])
  owner = await api.owner()
  credentials = {
    anonymous: null,
    'read key': await api.key(owner, 'read'),
    'write key': await api.key(owner, 'write'),
    viewer: await api.member(owner, 'viewer'),
    member: await api.member(owner, 'member'),
    admin: await api.member(owner, 'admin'),
    owner: owner.session_token,
  }
})
afterAll(() => api.close())

const urlOf = (path: string) => path.replace(/:\w+/g, crypto.randomUUID())

describe('every route of the API', () => {
  test('without credentials is 401, but for the list of public ones', async () => {
    expect(routes.filter(({ policy }) => policy === 'public').map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining(PUBLIC),
    )
    for (const { method, path } of routes) {
      const { status } = await api.call(null, method, urlOf(path))
      if (!PUBLIC.includes(`${method} ${path}`)) expect(status, `${method} ${path}`).toBe(401)
    }
  })

  test('lets in whom its policy names, and answers 403 to the others', async () => {
    for (const { method, path, policy } of routes) {
      if (policy === 'public') continue
      for (const caller of EACH) {
        const { status } = await api.call(credentials[caller], method, urlOf(path))
        // Everybody may leave, and only some may remove others.
        const ofOthers = policy === 'members.leave' && (caller === 'viewer' || caller === 'member')
        const may = PASSES[policy].includes(caller) && !ofOthers
        // What happens behind the door (404, 422) is the route's own matter.
        const expected = caller === 'anonymous' ? 'not let in' : may ? 'let in' : 'forbidden'
        const actual = status === 401 ? 'not let in' : status === 403 ? 'forbidden' : 'let in'
        expect(actual, `${caller}: ${method} ${path} answered ${status}`).toBe(expected)
      }
    }
  })

  test('has a policy, or the app is not built', () => {
    const bare = { ...probes[0], policy: undefined } as never as Route
    expect(() => buildApp(api.services, [bare])).toThrow('has no policy')
  })

  test('is registered once', () => {
    const names = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
    expect(names).toEqual([...new Set(names)])
  })
})

test.each(Object.keys(POLICIES) as PolicyName[])('%s passes exactly those whom the policy names', async (policy) => {
  const passed: string[] = []
  for (const caller of EACH)
    if ((await api.call(credentials[caller], 'GET', `/v1/probe/${policy}`)).status === 200) passed.push(caller)
  expect(new Set(passed)).toEqual(new Set(PASSES[policy]))
})

describe('a refusal', () => {
  const refused = async (caller: (typeof EACH)[number], policy: PolicyName) =>
    (await api.call(credentials[caller], 'GET', `/v1/probe/${policy}`)).body.error

  test('names the role, the permission in parentheses, and whom to ask', async () => {
    expect(await refused('viewer', 'monitors.write')).toEqual({
      code: 'FORBIDDEN',
      message:
        'Your role viewer does not allow you to create, change or run monitors (monitors.write). Ask a team admin ' +
        'or the owner.',
      details: [],
      requestId: expect.any(String),
    })
  })

  test('names the scope of a key that has too little', async () => {
    expect(await refused('read key', 'deliveries.replay')).toMatchObject({
      message:
        'An API key with the scope read does not allow you to replay deliveries (deliveries.replay). Ask a team ' +
        'admin or the owner.',
    })
  })

  test('tells a key that a person has to do it', async () => {
    expect(await refused('write key', 'keys.manage')).toMatchObject({
      message:
        'An API key does not allow you to create, rotate or delete API keys (keys.manage). Ask a team admin or ' +
        'the owner.',
    })
  })

  test('comes before the body is looked at', async () => {
    const answer = await api.app.inject({
      method: 'POST',
      url: '/v1/keys',
      headers: { authorization: `Bearer ${credentials['write key']}`, 'content-type': 'application/json' },
      payload: '{"broken',
    })
    expect(answer.statusCode).toBe(403)
  })
})

test('a public route sees no principal, whatever the request carries', async () => {
  const seen: object[] = []
  const open = publicRoute({
    method: 'GET',
    path: '/open',
    summary: 'Open',
    tag: 'Probe',
    policy: 'public',
    answers: { 200: { description: 'Passed.' } },
    handle: async (call) => {
      seen.push(call)
      return ok({})
    },
  })
  const app = buildApp(api.services, [open])
  await app.inject({ url: '/open', headers: { authorization: `Bearer ${owner.api_key}` } })
  expect(seen[0]).not.toHaveProperty('principal')
  await app.close()
})
