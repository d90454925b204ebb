import { getMigrations } from 'better-auth/db/migration'
import diagnostics from 'node:diagnostics_channel'
import pg from 'pg'
import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrincipals } from '../../../api/auth/principals.ts'
import { signInOptions } from '../../../api/auth/sign-in-options.ts'
import { createLogger } from '../../../core/logger.ts'
import { hashPassword } from '../../../store/accounts/accounts.ts'
import { row } from '../../../store/db/row.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { eventually } from '../../support/run/eventually.ts'

let api: TestApi
/** Each call from an address of its own, so that no test waits for another's limit. */
let caller = 0
beforeAll(async () => {
  api = await createTestApi({ signUp: 'open', trustedProxies: ['127.0.0.1'] })
})
afterAll(() => api.close())

const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
  caller += 1
  const answer = await api.app.inject({
    method: 'POST',
    url: `/auth/${path}`,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${caller}`, ...headers },
    payload: JSON.stringify(body),
  })
  return { status: answer.statusCode, body: answer.json(), cookies: answer.cookies, headers: answer.headers }
}
const signUp = (email: string, password = 'correct horse') => post('sign-up/email', { name: 'Ann', email, password })
const signIn = (email: string, password = 'correct horse') => post('sign-in/email', { email, password })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('signing up', () => {
  test('makes an account with one team of its own on the plan of sign-ups, as its owner', async () => {
    const { status, body } = await signUp('Ann@Example.com')
    expect(status).toBe(200)
    expect(body.user).toMatchObject({ email: 'ann@example.com', name: 'Ann' })
    const teams = await api.services.store.any(sql.type(
      row({
        tier: Type.String(),
        serp: Type.String(),
        role: Type.String(),
        runs_limit: Type.Number(),
        visual_limit: Type.Number(),
        serp_limit: Type.Number(),
        trial_days: Type.Number(),
        resets_at: Type.Null(),
      }),
    )`
      select t.tier, t.serp, m.role, u.runs_limit, u.visual_limit, u.serp_limit, u.resets_at,
        round(extract(epoch from t.trial_ends_at - clock()) / 86400)::int as trial_days
      from teams t join team_members m on m.team_id = t.id and m.user_id = t.owner_user_id join team_usage u
        on u.team_id = t.id
      where t.owner_user_id = ${body.user.id}`)
    expect(teams).toEqual([
      {
        tier: 'free',
        serp: 'trial',
        role: 'owner',
        runs_limit: 200,
        visual_limit: 100,
        serp_limit: 100,
        trial_days: 14,
        resets_at: null,
      },
    ])
  })

  test('signs in at once: the token works as Bearer and as the cookie', async () => {
    const { body, cookies } = await signUp('bob@example.com')
    expect((await api.call(body.token, 'GET', '/v1/keys')).body).toEqual({ data: [] })
    const cookie = `${cookies[0]?.name}=${encodeURIComponent(cookies[0]?.value ?? '')}`
    expect((await api.app.inject({ url: '/v1/keys', headers: { cookie } })).statusCode).toBe(200)
  })

  test('of many people at once waits for no connection that another sign-up keeps', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, (_, n) => signUp(`at-once-${n}@example.com`)))
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200))
  })

  test('is refused for an address that has an account', async () => {
    await signUp('twice@example.com')
    const again = await signUp('TWICE@example.com')
    expect(again).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } })
  })

  test.each([
    ['email', { name: 'A', email: 'no', password: 'correct horse' }],
    ['email', { name: 'A', email: 'a\u0000@example.com', password: 'correct horse' }],
    ['password', { name: 'A', email: 'short@example.com', password: '1234567' }],
    ['name', { email: 'noname@example.com', password: 'correct horse' }],
    [
      'callbackURL',
      { name: 'A', email: 'cb@example.com', password: 'correct horse', callbackURL: 'https://evil.example' },
    ],
    ['emailVerified', { name: 'A', email: 'ev@example.com', password: 'correct horse', emailVerified: true }],
    [
      'activeTeamId',
      { name: 'A', email: 'at@example.com', password: 'correct horse', activeTeamId: crypto.randomUUID() },
    ],
  ])('with a wrong %s is 422 in our envelope', async (path, body) => {
    expect(await post('sign-up/email', body)).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_ERROR', details: [{ path }] } },
    })
  })

  test('is closed where accounts are made by invitation', async () => {
    const closed = await createTestApi()
    const answer = await closed.call(null, 'POST', '/auth/sign-up/email', {
      name: 'A',
      email: 'a@example.com',
      password: 'correct horse',
    })
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
    expect(
      await closed.services.store.oneFirst(
        sql.type(row({ n: Type.Number() }))`select count(*)::int as n from auth.users`,
      ),
    ).toBe(0)
    await closed.close()
  })

  test('a team that a crash left out is made at the next sign-in', async () => {
    const { body } = await signUp('crash@example.com')
    const { id } = body.user
    await api.sql(`delete from team_usage where team_id in (select id from teams where owner_user_id = '${id}');
      delete from team_members where user_id = '${id}'; delete from teams where owner_user_id = '${id}'`)
    const again = await signIn('crash@example.com')
    expect((await api.call(again.body.token, 'GET', '/v1/keys')).status).toBe(200)
  })
})

describe('signing in', () => {
  test('a wrong password and an unknown address are one and the same 401', async () => {
    await signUp('carol@example.com')
    const [wrong, unknown] = [
      await signIn('carol@example.com', 'wrong password'),
      await signIn('nobody@example.com', 'wrong password'),
    ]
    const { requestId: _, ...error } = wrong.body.error
    expect(wrong.status).toBe(401)
    expect(error).toEqual({ code: 'UNAUTHORIZED', message: 'Invalid email or password', details: [] })
    expect(unknown.body.error).toMatchObject(error)
  })

  test('an owner made on the command line signs in with the password', async () => {
    const owner = await api.owner()
    const { status, body } = await signIn(owner.email.toUpperCase(), owner.password)
    expect(status).toBe(200)
    expect((await api.call(body.token, 'GET', '/v1/keys')).status).toBe(200)
  })

  test('the cookie is out of reach of scripts and of other sites', async () => {
    const owner = await api.owner()
    const { cookies } = await signIn(owner.email, owner.password)
    expect(cookies).toEqual([
      expect.objectContaining({
        name: 'tidemark.session_token',
        httpOnly: true,
        sameSite: 'Lax',
        path: '/',
        maxAge: 604_800,
      }),
      expect.objectContaining({ name: 'tidemark.device', httpOnly: true, sameSite: 'Lax', path: '/' }),
    ])
    expect(cookies[0]).not.toHaveProperty('secure')
  })

  test('over https its name is __Host- and it is secure, without a domain', async () => {
    const secure = await createTestApi({ baseUrl: 'https://tidemark.example' })
    const owner = await secure.owner()
    const answer = await secure.app.inject({
      method: 'POST',
      url: '/auth/sign-in/email',
      payload: { email: owner.email, password: owner.password },
    })
    const cookie = answer.cookies[0] ?? { name: '', value: '' }
    expect(cookie).toMatchObject({
      name: '__Host-tidemark.session_token',
      secure: true,
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
    })
    expect(cookie).not.toHaveProperty('domain')
    const headers = { cookie: `${cookie.name}=${encodeURIComponent(cookie.value)}` }
    expect((await secure.app.inject({ url: '/v1/keys', headers })).statusCode).toBe(200)
    expect((await secure.app.inject({ url: '/auth/get-session', headers })).json()).toMatchObject({
      user: { email: owner.email },
    })
    await secure.close()
  })

  test('a session reads itself, by Bearer too', async () => {
    const owner = await api.owner()
    const answer = await api.app.inject({ url: '/auth/get-session', headers: bearer(owner.session_token) })
    expect(answer.json()).toMatchObject({ user: { id: owner.user_id, email: owner.email } })
    expect((await api.app.inject('/auth/get-session')).payload).toBe('null')
  })

  test('what the database holds of a session opens nothing here either', async () => {
    const owner = await api.owner()
    const stored = owner.session_token.split('.')[0] ?? ''
    expect((await api.app.inject({ url: '/auth/get-session', headers: bearer(stored) })).payload).toBe('null')
    const cookie = `tidemark.session_token=${stored}`
    expect((await api.app.inject({ url: '/auth/get-session', headers: { cookie } })).payload).toBe('null')
  })

  test('signing out ends the session', async () => {
    const owner = await api.owner()
    expect((await api.call(owner.session_token, 'POST', '/auth/sign-out')).status).toBe(200)
    await expect.poll(async () => (await api.call(owner.session_token, 'GET', '/v1/keys')).status).toBe(401)
  })

  test('a new password ends all other sessions', async () => {
    const owner = await api.owner()
    const other = await signIn(owner.email, owner.password)
    const change = { currentPassword: owner.password, newPassword: 'a new password' }
    const { status, body } = await post('change-password', change, bearer(owner.session_token))
    expect(status).toBe(200)
    expect((await api.call(other.body.token, 'GET', '/v1/keys')).status).toBe(401)
    expect((await api.call(body.token, 'GET', '/v1/keys')).status).toBe(200)
    expect((await signIn(owner.email, owner.password)).status).toBe(401)
    expect((await signIn(owner.email, 'a new password')).status).toBe(200)
  })

  test('a session that the old password opens while it is changed is not opened', async () => {
    const owner = await api.owner()
    const change = new pg.Client({ connectionString: api.databaseUrl })
    // Within a transaction Postgres goes on to show the activity of the first look.
    const looks = new pg.Client({ connectionString: api.databaseUrl })
    await Promise.all([change.connect(), looks.connect()])
    // Whatever fails here, no other test waits for its locks.
    await using _ = { [Symbol.asyncDispose]: () => Promise.all([change.end(), looks.end()]).then(() => {}) }
    await change.query('begin')
    await change.query('lock table auth.sessions in share row exclusive mode')
    const late = signIn(owner.email, owner.password)
    // It has read the old password, and waits to write the session.
    const waits = eventually(
      () =>
        looks.query(
          `select from pg_stat_activity where datname = current_database() and query like 'insert into "sessions"%' ` +
            `and wait_event_type = 'Lock'`,
        ),
      ({ rowCount }) => rowCount === 1,
    )
    expect(await Promise.race([waits, late])).toMatchObject({ rowCount: 1 })
    await change.query(`update auth.accounts set password = $2 where user_id = $1`, [
      owner.user_id,
      await hashPassword('a new password'),
    ])
    await change.query('delete from auth.sessions where user_id = $1', [owner.user_id])
    await change.query('commit')
    expect(await late).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } }, cookies: [] })
    expect((await change.query('select from auth.sessions where user_id = $1', [owner.user_id])).rowCount).toBe(0)
    expect((await signIn(owner.email, 'a new password')).status).toBe(200)
  })

  test('the session of a new password acts for the team that the one before it acted for', async () => {
    const [boss, guest] = [await api.owner(), await api.owner()]
    await api.sql(`insert into team_members (team_id, user_id, role)
      values ('${boss.team_id}', '${guest.user_id}', 'member')`)
    const { team_id } = boss
    expect((await api.call(guest.session_token, 'POST', '/v1/team/switch', { team_id })).status).toBe(200)
    const change = { currentPassword: guest.password, newPassword: 'a new password' }
    const { body } = await post('change-password', change, bearer(guest.session_token))
    expect((await api.call(body.token, 'GET', '/v1/team')).body).toMatchObject({ id: team_id, role: 'member' })
  })

  test('a session that a new password ended is refused at once by a process that has just let it in', async () => {
    const owner = await api.owner()
    const replica = createPrincipals(api.services.store, {
      key: api.services.sessionKey,
      cookieName: 'tidemark.session_token',
    })
    const other = (await signIn(owner.email, owner.password)).body.token
    expect(await replica.find(bearer(other))).toMatchObject({ userId: owner.user_id, role: 'owner' })
    const change = { currentPassword: owner.password, newPassword: 'a new password' }
    expect((await post('change-password', change, bearer(owner.session_token))).status).toBe(200)
    expect(await replica.find(bearer(other))).toBeNull()
  })

  test('another site cannot use the cookie', async () => {
    const owner = await api.owner()
    const cookie = `tidemark.session_token=${encodeURIComponent(owner.session_token)}`
    for (const headers of [{ cookie, origin: 'https://evil.example' }, { cookie, origin: 'null' }, { cookie }])
      expect(await post('update-user', { name: 'Mallory' }, headers)).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN' } },
      })
    expect(await post('update-user', { name: 'Ann' }, { cookie, origin: 'http://127.0.0.1:8080' })).toMatchObject({
      status: 200,
    })
  })

  test('an API key is nobody here', async () => {
    const owner = await api.owner()
    expect(await post('update-user', { name: 'Key' }, bearer(owner.api_key))).toMatchObject({ status: 401 })
    expect((await api.app.inject({ url: '/auth/get-session', headers: bearer(owner.api_key) })).payload).toBe('null')
  })
})

describe('the sign-in library', () => {
  test.each(['error', 'ok', 'change-email', 'reset-password/x', 'callback/google', 'delete-user', 'account-info'])(
    'serves nothing that we do not name: /auth/%s is 404',
    async (path) => {
      for (const method of ['GET', 'POST'] as const)
        expect((await api.app.inject({ method, url: `/auth/${path}` })).json().error.code).toBe('NOT_FOUND')
    },
  )

  test('misses nothing in our tables', async () => {
    const url = new URL(api.databaseUrl)
    url.searchParams.set('options', '-c search_path=auth')
    const pool = new pg.Pool({ connectionString: url.href, max: 1 })
    const settings = {
      sessionKey: 'x'.repeat(43),
      baseUrl: 'http://127.0.0.1',
      trustedOrigins: [],
      mails: null,
    } as const
    const migrations = await getMigrations({ ...(await signInOptions(settings)), database: pool })
    expect(await migrations.compileMigrations()).toMatch(/^;?\s*$/)
    expect(migrations).toMatchObject({ toBeCreated: [], toBeAdded: [] })
    await pool.end()
  })

  test('talks to nobody but the database', async () => {
    const seen: string[] = []
    const note = (message: unknown) =>
      void seen.push(String((message as { request?: { origin?: string } }).request?.origin))
    diagnostics.subscribe('undici:request:create', note)
    diagnostics.subscribe('http.client.request.start', note)
    const own = await createTestApi({ signUp: 'open' })
    await own.call(null, 'POST', '/auth/sign-up/email', {
      name: 'A',
      email: 'quiet@example.com',
      password: 'correct horse',
    })
    await own.close()
    diagnostics.unsubscribe('undici:request:create', note)
    diagnostics.unsubscribe('http.client.request.start', note)
    expect(seen).toEqual([])
  })

  test('stores the address that a trusted proxy names, never one that the client claims', async () => {
    const owner = await api.owner()
    await post(
      'sign-in/email',
      { email: owner.email, password: owner.password },
      { 'x-forwarded-for': '203.0.113.9, 198.51.100.250', 'x-tidemark-client-address': '1.1.1.1' },
    )
    const address = await api.services.store.oneFirst(sql.type(row({ ip: Type.String() }))`
      select ip_address as ip from auth.sessions where user_id = ${owner.user_id} order by created_at desc limit 1`)
    expect(address).toBe('198.51.100.250')
  })
})

test('a line of the log repeats only the beginning of an Origin that was sent', async () => {
  const lines: string[] = []
  const log = createLogger('trace', { write: (line) => void lines.push(line) })
  const own = await createTestApi({ log })
  const owner = await own.owner()
  const origin = `https://evil.example/${'canary'.repeat(1_500)}`
  const answer = await own.app.inject({
    method: 'POST',
    url: '/auth/sign-in/email',
    headers: { 'content-type': 'application/json', cookie: 'a=b', origin },
    payload: JSON.stringify({ email: owner.email, password: owner.password }),
  })
  await own.close()
  expect(answer.statusCode).toBe(403)
  const repeating = lines.filter((line) => line.includes('evil.example'))
  expect(repeating.length).toBeGreaterThan(0)
  for (const line of repeating) expect(line.length).toBeLessThan(1_000)
  expect(lines.join('')).not.toContain('canary'.repeat(60))
})
