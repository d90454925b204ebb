import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { startMailWorker } from '../../support/mail/mail-worker.ts'

const BASE = 'http://127.0.0.1:8080'
let api: TestApi
let worker: Awaited<ReturnType<typeof startMailWorker>>
beforeAll(async () => {
  api = await createTestApi({ hasMail: true, trustedProxies: ['127.0.0.1'] })
  worker = await startMailWorker(api.services)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await api.close()
})

let caller = 0
const from = () => ({ 'x-forwarded-for': `198.51.100.${(caller += 1)}` })
const look = (token: string, cookies: Record<string, string> = {}) =>
  api.app.inject({ url: `/invitation?token=${encodeURIComponent(token)}`, headers: from(), cookies })
const submit = (token: string, fields: Record<string, string>, cookies: Record<string, string> = {}) =>
  api.app.inject({
    method: 'POST',
    url: '/invitation',
    headers: { ...from(), origin: BASE, 'content-type': 'application/x-www-form-urlencoded' },
    cookies,
    payload: new URLSearchParams({ token, ...fields }).toString(),
  })
const post = (path: string, payload: object) => api.app.inject({ method: 'POST', url: path, headers: from(), payload })

let count = 0
async function invite(email = `guest${(count += 1)}@example.com`, owner?: Awaited<ReturnType<TestApi['owner']>>) {
  const inviter = owner ?? (await api.owner())
  const { status, body } = await api.call(inviter.session_token, 'POST', '/v1/team/members/invite', { email })
  expect(status).toBe(201)
  expect(body).toMatchObject({ email_sent: true })
  const { mail } = await worker.letterTo(email, /invites you/)
  const token = new URL(/http:\S+token=\S+/.exec(mail.text ?? '')?.[0] ?? 'http://none').searchParams.get('token') ?? ''
  return { email, owner: inviter, token, id: (body as unknown as { id: string }).id }
}
const SIGN_UP = { act: 'sign_up', name: 'Guest', password: 'correct horse' }
const signUp = (email: string, invitation?: string) =>
  post('/auth/sign-up/email', {
    name: 'G',
    email,
    password: 'correct horse',
    ...(invitation !== undefined && { invitation }),
  })

describe('the page of an invitation', () => {
  test('counts with the form and the API: an address may look ten times a minute in sum', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.77' }
    const form = { ...headers, origin: BASE, 'content-type': 'application/x-www-form-urlencoded' }
    const statuses: number[] = []
    for (let nth = 0; nth < 8; nth++) {
      for (const asked of [
        { url: '/invitation?token=none', headers },
        { url: '/v1/team/invitation?token=none', headers },
        { method: 'POST', url: '/invitation', headers: form, payload: 'token=none&act=accept' } as const,
      ])
        statuses.push((await api.app.inject(asked)).statusCode)
    }
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 404))
    // A minute can end in between, though not twice.
    expect(statuses).toContain(429)
    expect((await look('none')).statusCode).toBe(404)
  })

  test('makes an account, signs it in, and joins it to the team in one step; the inviter gets a mail', async () => {
    const { email, owner, token } = await invite()
    const page = await look(token)
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain(`invites ${email} to the team`)
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.body).not.toMatch(/<script|src=/)
    const joined = await submit(token, SIGN_UP)
    expect(joined.statusCode).toBe(200)
    expect(joined.body).toContain('Your role is member')
    const session = decodeURIComponent(
      joined.cookies.find(({ name }) => name === 'tidemark.session_token')?.value ?? '',
    )
    expect((await api.call(session, 'GET', '/v1/team')).body).toMatchObject({ id: owner.team_id, role: 'member' })
    expect((await worker.letterTo(owner.email, /joined/)).mail.text).toContain(email)
    // Its address counts as confirmed, and it has a team and a trial of its own.
    expect(worker.mailbox.letters.filter(({ to }) => to.includes(email))).toHaveLength(1)
    expect((await api.call(session, 'GET', '/v1/team/list')).body).toMatchObject({ data: { length: 2 } })
  })

  test('signs an account in with its password; a wrong one is an error, and joins nothing', async () => {
    const guest = await api.owner()
    const { owner, token } = await invite(guest.email)
    const wrong = await submit(token, { act: 'sign_in', password: 'not the password' })
    expect(wrong.statusCode).toBe(422)
    expect(wrong.body).toContain('role="alert"')
    const joined = await submit(token, { act: 'sign_in', password: guest.password })
    expect(joined.statusCode).toBe(200)
    expect((await api.call(owner.session_token, 'GET', '/v1/team/members')).body).toMatchObject({
      members: { length: 2 },
    })
  })

  test('keeps whoever signed in there signed in, when the team has no seat left', async () => {
    const guest = await api.owner()
    const owner = await api.owner({ plan: 'pro' })
    const { token } = await invite(guest.email, owner)
    await api.sql(`update teams set limits = '{"maxTeamMembers": 1}' where id = '${owner.team_id}'`)
    const refused = await submit(token, { act: 'sign_in', password: guest.password })
    expect(refused.statusCode).toBe(422)
    expect(refused.body).toContain('no seat left')
    // The page is that of somebody who is signed in, and so is the browser.
    expect(refused.body).toContain('Accept the invitation')
    const cookie = refused.cookies.find(({ name }) => name === 'tidemark.session_token')?.value ?? ''
    expect((await api.call(decodeURIComponent(cookie), 'GET', '/v1/usage')).status).toBe(200)
  })

  test('needs one press of whoever is signed in with the address, and says so to anybody else', async () => {
    const guest = await api.owner()
    const { token } = await invite(guest.email)
    const cookies = { 'tidemark.session_token': guest.session_token }
    const other = { 'tidemark.session_token': (await api.owner()).session_token }
    expect((await look(token, other)).body).toContain(`The invitation is for ${guest.email}`)
    expect((await submit(token, { act: 'accept' }, other)).statusCode).toBe(422)
    expect((await submit(token, { act: 'accept' })).statusCode).toBe(422)
    expect((await look(token, cookies)).body).toContain('Accept the invitation')
    expect((await submit(token, { act: 'accept' }, cookies)).statusCode).toBe(200)
    const again = await look(token, cookies)
    expect(again.statusCode).toBe(409)
    expect(again.body).toContain('accepted already')
  })

  test('says why a link does not work: unknown, revoked, expired, replaced', async () => {
    expect((await look('inv_unknown')).statusCode).toBe(404)
    const revoked = await invite()
    await api.call(revoked.owner.session_token, 'DELETE', `/v1/team/invitations/${revoked.id}`)
    expect(await look(revoked.token)).toMatchObject({ statusCode: 409, body: expect.stringContaining('revoked') })
    const expired = await invite()
    await api.sql(`update invitations set expires_at = clock() - interval '1 s' where id = '${expired.id}'`)
    expect(await look(expired.token)).toMatchObject({ statusCode: 409, body: expect.stringContaining('time is over') })
    expect((await submit(expired.token, SIGN_UP)).statusCode).toBe(409)
    const replaced = await invite()
    await api.call(replaced.owner.session_token, 'POST', `/v1/team/invitations/${replaced.id}/resend`)
    expect((await look(replaced.token)).statusCode).toBe(404)
  })

  test('refuses a form of another site', async () => {
    const { token } = await invite()
    const answer = await api.app.inject({
      method: 'POST',
      url: '/invitation',
      headers: { ...from(), origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ token, ...SIGN_UP }).toString(),
    })
    expect(answer.statusCode).toBe(403)
  })
})

describe('sign-up where accounts are made by invitation', () => {
  test('is for exactly those who have the token of an open invitation for their address', async () => {
    const { email, token, id, owner } = await invite()
    expect((await signUp(email)).statusCode).toBe(403)
    expect((await signUp(email, 'inv_unknown')).statusCode).toBe(403)
    expect((await signUp('eve@example.com', token)).statusCode).toBe(403)
    expect((await signUp(email.toUpperCase(), token)).statusCode).toBe(200)
    // The token proved the address.
    expect((await post('/auth/sign-in/email', { email, password: 'correct horse' })).statusCode).toBe(200)
    await api.call(owner.session_token, 'DELETE', `/v1/team/invitations/${id}`)
    const late = await invite()
    await api.call(late.owner.session_token, 'DELETE', `/v1/team/invitations/${late.id}`)
    expect((await signUp(late.email, late.token)).statusCode).toBe(403)
    const expired = await invite()
    await api.sql(`update invitations set expires_at = clock() - interval '1 s' where id = '${expired.id}'`)
    expect((await signUp(expired.email, expired.token)).statusCode).toBe(403)
  })
})
