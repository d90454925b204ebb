import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { CLIENT, openOidcServer } from './oidc-server.ts'

const BASE = 'http://127.0.0.1:8080'
let server: Awaited<ReturnType<typeof openOidcServer>>
let api: TestApi
beforeAll(async () => {
  server = await openOidcServer(`${BASE}/auth/callback/oidc`)
  const oidc = { issuer: server.issuer, ...CLIENT }
  api = await createTestApi({ signUp: 'open', hasMail: true, trustedProxies: ['127.0.0.1'], oidc, dashboardUrl: null })
})
afterAll(async () => {
  await api.close()
  await server[Symbol.asyncDispose]()
})
afterEach(() => Object.assign(server, { forge: null, hasWrongKey: false }))

let caller = 0
/** A browser that keeps the cookies of the service. */
function browser() {
  const jar = new Map<string, string>()
  return {
    async open(url: string) {
      caller += 1
      const answer = await api.app.inject({
        url: url.replace(BASE, ''),
        cookies: Object.fromEntries(jar),
        headers: { 'x-forwarded-for': `198.51.100.${caller}` },
      })
      for (const { name, value } of answer.cookies) jar.set(name, value)
      return { status: answer.statusCode, location: String(answer.headers.location ?? ''), html: answer.body }
    },
    get session() {
      return jar.get('tidemark.session_token')
    },
  }
}
type Browser = ReturnType<typeof browser>

const person = (more: object = {}) => ({
  sub: randomUUID(),
  email: `ann-${randomUUID()}@example.com`,
  email_verified: true,
  name: 'Ann',
  ...more,
})
async function begin(from: Browser) {
  const { status, location } = await from.open('/auth/oidc')
  expect(status).toBe(302)
  return new URL(location)
}
/** The whole sign-in. `change`: what happens to an address on its way. */
async function signIn(from = browser(), change: { toProvider?(url: URL): void; toService?(url: URL): void } = {}) {
  const address = await begin(from)
  change.toProvider?.(address)
  const back = await server.signIn(address.href)
  change.toService?.(back)
  return { from, back, ...(await from.open(back.href)) }
}
const called = (session: string | undefined) => api.call(decodeURIComponent(session ?? ''), 'GET', '/v1/usage')

async function expectRefused({ from, status, location }: Awaited<ReturnType<typeof signIn>>, why: RegExp) {
  expect(status).toBe(302)
  expect(location).toContain(`${BASE}/auth/oidc/failed?error=`)
  expect(from.session).toBeUndefined()
  const page = await from.open(location)
  expect(page.status).toBe(403)
  expect(page.html).toMatch(why)
}

test('a person whom the provider knows gets an account with a team and a trial, and a session', async () => {
  server.person = person()
  const { from, status, location } = await signIn()
  expect({ status, location }).toEqual({ status: 302, location: `${BASE}/auth/signed-in` })
  expect(await called(from.session)).toMatchObject({ status: 200, body: { tier: 'free', trialActive: true } })
  expect((await from.open(location)).html).toContain('You are signed in')
  // The second time it is the same account.
  const { from: again } = await signIn()
  expect((await called(again.session)).status).toBe(200)
  await api.sql(`do $$ begin
    assert (select count(*) = 1 from auth.users where email = '${server.person.email}' and email_verified);
    assert (select bool_and(access_token is null and id_token is null and refresh_token is null) from auth.accounts
      where provider_id = 'oidc');
  end $$`)
})

test('the provider gets PKCE, a state and a nonce, and each is new', async () => {
  const [one, other] = [await begin(browser()), await begin(browser())]
  expect(one.searchParams.get('code_challenge_method')).toBe('S256')
  expect(one.searchParams.get('scope')).toContain('openid')
  for (const name of ['code_challenge', 'state', 'nonce']) {
    expect(one.searchParams.get(name)?.length, name).toBeGreaterThan(20)
    expect(one.searchParams.get(name)).not.toBe(other.searchParams.get(name))
  }
})

test('an account with the same address, which is confirmed, is signed in to', async () => {
  const { email, user_id } = await api.owner()
  server.person = person({ email })
  const { from } = await signIn()
  expect((await called(from.session)).status).toBe(200)
  await api.sql(`do $$ begin assert (select user_id = '${user_id}' from auth.accounts
    where provider_id = 'oidc' and account_id = '${server.person.sub}'); end $$`)
})

/** A stranger who signs up with the address of another person. */
async function squatter() {
  const { email, user_id, password, session_token, team_id } = await api.owner()
  await api.sql(`delete from api_keys where team_id = '${team_id}';
    update auth.users set email_verified = false where id = '${user_id}';
    insert into auth.verifications (identifier, value, expires_at) values ('x', '${user_id}', now() + interval '1 h')`)
  const signsIn = () =>
    api.app.inject({
      method: 'POST',
      url: '/auth/sign-in/email',
      headers: { 'x-forwarded-for': `198.51.100.${(caller += 1)}` },
      payload: { email, password },
    })
  return { email, user_id, team_id, session_token, signsIn }
}

test('an account that a stranger made with the address goes to its owner, without password and sessions', async () => {
  const { email, user_id, session_token, signsIn } = await squatter()
  server.person = person({ email })
  const { from } = await signIn()
  expect((await called(from.session)).status).toBe(200)
  expect((await called(session_token)).status).toBe(401)
  expect((await signsIn()).statusCode).toBe(401)
  await api.sql(`do $$ begin
    assert (select email_verified from auth.users where id = '${user_id}');
    assert not exists (select from auth.verifications where value = '${user_id}');
    assert not exists (select from auth.accounts where user_id = '${user_id}' and provider_id = 'credential');
  end $$`)
})

test('an account that was never confirmed and is in use is not signed in to, and nothing of it changes', async () => {
  const { email, user_id, session_token, team_id } = await squatter()
  await api.sql(`insert into api_keys (team_id, user_id, name, prefix, hash, scopes)
    values ('${team_id}', '${user_id}', 'k', 'svc_', '${randomUUID()}', '{read}')`)
  server.person = person({ email })
  await expectRefused(await signIn(), /never confirmed, and it is in use/)
  expect((await called(session_token)).status).toBe(200)
  await api.sql(`do $$ begin
    assert (select not email_verified from auth.users where id = '${user_id}');
    assert exists (select from auth.accounts where user_id = '${user_id}' and password is not null);
  end $$`)
})

test('an address that the provider writes in capitals is the one that was invited, and has one account', async () => {
  const { session_token: owner, team_id } = await api.owner()
  const invited = `ann-${randomUUID()}@example.com`
  const { status } = await api.call(owner, 'POST', '/v1/team/members/invite', { email: invited })
  expect(status).toBe(201)
  await api.sql(`update invitations set token_hash = sha256('inv_${invited}') where email = '${invited}'`)
  server.person = person({ email: invited.replace('ann', 'Ann').replace('example', 'EXAMPLE') })
  const session = decodeURIComponent((await signIn()).from.session ?? '')
  expect((await api.call(session, 'POST', '/v1/team/accept', { token: `inv_${invited}` })).status).toBe(200)
  expect((await api.call(session, 'GET', '/v1/team')).body).toMatchObject({ id: team_id, role: 'member' })
  await signIn()
  await api.sql(`do $$ begin assert (select count(*) = 1 from auth.users where lower(email) = '${invited}'); end $$`)
})

test.each([
  ['says is not verified', { email_verified: false }],
  ['says nothing about', { email_verified: undefined }],
])('an address that the provider %s is refused', async (_what, more) => {
  server.person = person(more)
  await expectRefused(await signIn(), /not verified/)
})

test('a person without an address is refused', async () => {
  server.person = person({ email: undefined })
  await expectRefused(await signIn(), /did not tell your address|failed/)
})

test.each([
  ['of another audience', (claims: object) => ({ ...claims, aud: 'another client' })],
  ['of another issuer', (claims: object) => ({ ...claims, iss: 'https://evil.example' })],
  ['that is over', (claims: object) => ({ ...claims, exp: 1, iat: 0 })],
  ['with another nonce', (claims: object) => ({ ...claims, nonce: 'another' })],
  ['without a nonce', (claims: object) => ({ ...claims, nonce: undefined })],
])('an id token %s is refused', async (_what, forge) => {
  server.person = person()
  server.forge = forge
  await expectRefused(await signIn(), /failed/)
})

test('an id token that another key signed is refused', async () => {
  server.person = person()
  server.hasWrongKey = true
  await expectRefused(await signIn(), /failed/)
})

test('a nonce that was changed on the way is refused', async () => {
  server.person = person()
  await expectRefused(
    await signIn(browser(), { toProvider: (url) => url.searchParams.set('nonce', 'n'.repeat(32)) }),
    /failed/,
  )
})

test('a code of another sign-in is refused: PKCE binds it to the one that began it', async () => {
  server.person = person()
  const stolen = await server.signIn((await begin(browser())).href)
  const code = String(stolen.searchParams.get('code'))
  await expectRefused(await signIn(browser(), { toService: (url) => url.searchParams.set('code', code) }), /failed/)
})

test('a state that is unknown, used, or of another browser is refused', async () => {
  server.person = person()
  await expectRefused(
    await signIn(browser(), { toService: (url) => url.searchParams.set('state', 'x'.repeat(32)) }),
    /another browser|failed/,
  )
  const done = await signIn()
  const again = await done.from.open(done.back.href)
  expect(again.location).toContain('/auth/oidc/failed?error=')
  const victim = browser()
  const attack = await server.signIn((await begin(browser())).href)
  const { location } = await victim.open(attack.href)
  expect(location).toContain('/auth/oidc/failed?error=')
  expect(victim.session).toBeUndefined()
})

test('a refusal by the provider becomes a page, and its text is no markup', async () => {
  const from = browser()
  const state = (await begin(from)).searchParams.get('state')
  const { location } = await from.open(
    `/auth/callback/oidc?error=access_denied&error_description=<script>&state=${state}&session_state=1`,
  )
  const page = await from.open(location)
  expect(page.html).toContain('cancelled')
  expect(page.html).not.toContain('<script>')
})

test.each(['constructor', '__proto__', 'toString', 'nobody_knows', ''])(
  'the page for a failed sign-in is shown whatever reason its address names: %j',
  async (error) => {
    const { status, html } = await browser().open(`/auth/oidc/failed?error=${error}`)
    expect(status).toBe(403)
    expect(html).toContain('The sign-in with the provider failed.')
  },
)

test('where accounts are made by invitation, a new person needs the token of one for the address', async () => {
  const open = api
  const oidc = { issuer: server.issuer, ...CLIENT }
  api = await createTestApi({ signUp: 'invite', hasMail: true, trustedProxies: ['127.0.0.1'], oidc })
  try {
    const { team_id: team, user_id: user } = await api.owner()
    const invited = person()
    await api.sql(`insert into invitations (team_id, email, role, invited_by, invited_by_email, token_hash, expires_at)
      values ('${team}', '${invited.email}', 'member', '${user}', 'o@example.com', sha256('inv_a'),
        clock() + interval '1 day')`)
    server.person = invited
    await expectRefused(await signIn(), /by invitation/)
    const enter = async (who: ReturnType<typeof person>, token: string) => {
      server.person = who
      const from = browser()
      const { location } = await from.open(`/auth/oidc?invitation=${token}`)
      return { from, ...(await from.open((await server.signIn(location)).href)) }
    }
    expect((await enter(person(), 'inv_a')).location).toContain('error=invitation_needed')
    expect((await enter(invited, 'inv_b')).location).toContain('error=invitation_needed')
    const { from, location } = await enter(invited, 'inv_a')
    expect(location).toBe(`${BASE}/invitation?token=inv_a`)
    expect((await called(from.session)).status).toBe(200)
    // Whoever has an account needs no invitation any more.
    expect((await called((await signIn()).from.session)).status).toBe(200)
  } finally {
    await api.close()
    api = open
  }
})

test('while the provider is away, passwords work, and its sign-in works again when it is back', async () => {
  const { port } = new URL(server.issuer)
  const away = `http://127.0.0.1:${Number(port) === 65_535 ? 1 : 9}`
  const own = await createTestApi({ oidc: { issuer: away, ...CLIENT } })
  const { email, password } = await own.owner()
  expect((await own.call(null, 'POST', '/auth/sign-in/email', { email, password })).status).toBe(200)
  expect((await own.call(null, 'GET', '/auth/oidc')).status).toBe(503)
  await own.close()
})

test('without a provider there is no such sign-in', async () => {
  const own = await createTestApi()
  expect((await own.call(null, 'GET', '/auth/oidc')).status).toBe(404)
  await own.close()
})
