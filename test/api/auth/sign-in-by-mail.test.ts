import { pino } from 'pino'
import { sql } from 'slonik'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createResetToken } from '../../../store/accounts/admin-accounts.ts'
import { nothing } from '../../../store/db/row.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { startMailWorker } from '../../support/mail/mail-worker.ts'

let api: TestApi
let worker: Awaited<ReturnType<typeof startMailWorker>>
const lines: string[] = []
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
  api = await createTestApi({ signUp: 'open', hasMail: true, trustedProxies: ['127.0.0.1'], log })
  worker = await startMailWorker(api.services)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await api.close()
})

let caller = 0
/** Each call from an address of its own, so that no test waits for another's limit. */
const from = () => ({ 'x-forwarded-for': `198.51.100.${(caller += 1)}` })
async function post(path: string, payload: object, headers: Record<string, string> = {}) {
  const answer = await api.app.inject({
    method: 'POST',
    url: `/auth/${path}`,
    headers: { ...from(), ...headers },
    payload,
  })
  return { status: answer.statusCode, body: answer.json(), text: answer.body }
}
async function look(url: string) {
  const answer = await api.app.inject({ url, headers: from() })
  return { status: answer.statusCode, html: answer.body, headers: answer.headers }
}
/** Posts the form of a page, as a browser does. */
async function submit(html: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const action = /action="([^"]+)"/.exec(html)?.[1] ?? ''
  const hidden = [...html.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value],
  )
  const answer = await api.app.inject({
    method: 'POST',
    url: action,
    headers: {
      ...from(),
      origin: 'http://127.0.0.1:8080',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    payload: new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }).toString(),
  })
  return { status: answer.statusCode, html: answer.body }
}
const linkIn = (text = '') => new URL(/http:\S+token=\S+/.exec(text)?.[0] ?? 'http://none')
const pathOf = ({ pathname, search }: URL) => pathname + search

const PASSWORD = { password: 'correct horse' }
let count = 0
async function newAccount() {
  const email = `ann${(count += 1)}@example.com`
  const { status } = await post('sign-up/email', { name: 'Ann', email, password: 'correct horse' })
  expect(status).toBe(200)
  return { email, link: linkIn((await worker.letterTo(email, /Confirm/)).mail.text) }
}
const signIn = (email: string, password = 'correct horse') => post('sign-in/email', { email, password })
async function resetLink(email: string) {
  expect(await post('request-password-reset', { email })).toMatchObject({ status: 200 })
  return linkIn((await worker.letterTo(email, /new password/)).mail.text)
}

test('an account can sign in once its address is confirmed on the page of the mail, and not before', async () => {
  const { email, link } = await newAccount()
  const refused = await signIn(email)
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
  expect(refused.body.error.message).toContain('not confirmed')
  const page = await look(pathOf(link))
  expect(page.status).toBe(200)
  // Looking at the page confirms nothing: programs open links too.
  expect((await signIn(email)).status).toBe(403)
  expect(await submit(page.html, PASSWORD)).toMatchObject({
    status: 200,
    html: expect.stringContaining('Your address is confirmed'),
  })
  expect((await signIn(email)).status).toBe(200)
  // A second press changes nothing.
  expect((await submit(page.html, PASSWORD)).status).toBe(200)
})

test('an account that a stranger made is not confirmed by the owner of its address, who takes it over', async () => {
  // The stranger knows the password, and the owner of the address gets the mail.
  const { email, link } = await newAccount()
  const page = await look(pathOf(link))
  const guessed = await submit(page.html, { password: 'what I use everywhere' })
  expect(guessed).toMatchObject({ status: 422, html: expect.stringContaining('set a new password') })
  const token = link.searchParams.get('token')
  expect((await post('verify-email', { token, password: 'what I use everywhere' })).status).toBe(403)
  expect((await post('verify-email', { token })).status).toBe(422)
  expect((await signIn(email)).status).toBe(403)
  const reset = await look(pathOf(await resetLink(email)))
  expect((await submit(reset.html, { password: 'a brand new one' })).status).toBe(200)
  expect((await signIn(email)).status).toBe(401)
  expect((await signIn(email, 'a brand new one')).status).toBe(200)
})

test('scripts confirm an address with the token', async () => {
  const { email, link } = await newAccount()
  const token = link.searchParams.get('token')
  expect((await post('verify-email', { token: `${token}x`, ...PASSWORD })).status).toBe(401)
  expect((await post('verify-email', { token, ...PASSWORD })).status).toBe(200)
  expect((await signIn(email)).status).toBe(200)
})

test('an account that signs up has its team and its trial before the address is confirmed', async () => {
  const { email } = await newAccount()
  await api.sql(`do $$ begin assert (select count(*) = 1 from teams t join auth.users u on u.id = t.owner_user_id
    join team_usage g on g.team_id = t.id where u.email = '${email}'
      and t.trial_ends_at > clock() + interval '13 days'); end $$`)
})

test('the page of the mail sets a new password once, and every session ends', async () => {
  const { email, password, session_token } = await api.owner()
  const link = await resetLink(email)
  const { html } = await look(pathOf(link))
  expect(await submit(html, { password: 'short' })).toMatchObject({
    status: 422,
    html: expect.stringContaining('form'),
  })
  expect(await submit(html, { password: 'a brand new one' })).toMatchObject({ status: 200 })
  expect((await api.call(session_token, 'GET', '/v1/usage')).status).toBe(401)
  expect((await signIn(email, password)).status).toBe(401)
  expect((await signIn(email, 'a brand new one')).status).toBe(200)
  expect(await submit(html, { password: 'another new one' })).toMatchObject({
    status: 422,
    html: expect.stringContaining('does not work any more'),
  })
})

test('a newer link for a new password replaces the older one', async () => {
  const { email, user_id } = await api.owner()
  const old = await createResetToken(api.services.store, email)
  const newer = await resetLink(email)
  const payload = (token: unknown) => ({ token, newPassword: 'a brand new one' })
  expect((await post('reset-password', payload(old?.token))).status).toBe(422)
  expect((await post('reset-password', payload(newer.searchParams.get('token')))).status).toBe(200)
  await api.sql(`do $$ begin assert not exists (select from auth.verifications where value = '${user_id}'); end $$`)
})

test('a link whose time is over sets no password', async () => {
  const { email } = await api.owner()
  const link = await resetLink(email)
  await api.sql(`update auth.verifications set expires_at = now() - interval '1 second'`)
  const { html } = await look(pathOf(link))
  expect((await submit(html, { password: 'a brand new one' })).status).toBe(422)
})

test('who asks for a link learns nothing of an address, and cannot fill its mailbox', async () => {
  const { email } = await api.owner()
  const [known, unknown] = [
    await post('request-password-reset', { email }),
    await post('request-password-reset', { email: 'nobody@example.com' }),
  ]
  expect(known.text).toBe(unknown.text)
  for (let n = 0; n < 3; n += 1) await post('request-password-reset', { email })
  await worker.letterTo(email)
  await worker.letterTo((await newAccount()).email)
  expect(worker.mailbox.letters.filter(({ to }) => to.includes(email)).length).toBeLessThanOrEqual(2)
  expect(worker.mailbox.letters.filter(({ to }) => to.includes('nobody@example.com'))).toEqual([])
})

test('the answer to who asks for a link waits for nothing that depends on the account', async () => {
  const { email } = await api.owner()
  const { promise: locked, resolve: release } = Promise.withResolvers<void>()
  const holding = api.services.store.transaction(async (tx) => {
    await tx.query(sql.type(nothing)`lock table auth.verifications, auth.users in access exclusive mode`)
    await locked
  })
  try {
    for (const address of [email, 'nobody@example.com'])
      for (const path of ['request-password-reset', 'send-verification-email'])
        expect(await post(path, { email: address })).toMatchObject({ status: 200, body: {} })
  } finally {
    release()
    await holding
  }
  expect((await worker.letterTo(email, /new password/)).mail.text).toContain('/new-password')
})

test('the pages run no scripts, load nothing and are in no frame, and their text is escaped', async () => {
  for (const path of [
    '/verify?token="><script>alert(1)</script>',
    '/new-password?token=%22%3E%3Cscript%3E',
    '/new-password',
  ]) {
    const { status, html, headers } = await look(encodeURI(decodeURI(path)))
    expect(status).toBe(200)
    expect(html).not.toMatch(/<script|<link|src=|javascript:/)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; form-action 'self'; frame-ancestors 'none'/,
    )
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' })
  }
})

test('a form of another site, one of the wrong type and one with a field twice are refused', async () => {
  const { email } = await api.owner()
  const { html } = await look(pathOf(await resetLink(email)))
  expect((await submit(html, { password: 'a brand new one' }, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await submit(html, {}, { 'content-type': 'application/json' })).status).toBe(415)
  const twice = await api.app.inject({
    method: 'POST',
    url: '/new-password',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://127.0.0.1:8080', ...from() },
    payload: 'token=a&token=b',
  })
  expect(twice.statusCode).toBe(422)
})

test('no log has a token or a password', async () => {
  const { email, link } = await newAccount()
  const reset = await resetLink((await api.owner()).email)
  await look(pathOf(link))
  await look(pathOf(reset))
  await signIn(email)
  const log = lines.join('')
  expect(log).not.toContain(String(link.searchParams.get('token')))
  expect(log).not.toContain(String(reset.searchParams.get('token')))
  expect(log).not.toContain('correct horse')
})
