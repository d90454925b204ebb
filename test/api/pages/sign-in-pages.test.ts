import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
let closed: TestApi
beforeAll(async () => {
  api = await createTestApi({ signUp: 'open' })
  closed = await createTestApi()
})
afterAll(() => Promise.all([api.close(), closed.close()]))

const post = (url: string, fields: Record<string, string>, { app } = api, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://127.0.0.1:8080', ...headers },
    payload: new URLSearchParams(fields).toString(),
  })
const PASSWORD = 'correct horse'
let count = 0
async function account() {
  count += 1
  const email = `ann${count}@example.com`
  await api.call(null, 'POST', '/auth/sign-up/email', { name: 'Ann', email, password: PASSWORD })
  return email
}
const cookieOf = (answer: Awaited<ReturnType<typeof post>>) =>
  answer.cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ')

describe('The page to sign in', () => {
  test('sends the browser with its session to the path that it came for', async () => {
    const email = await account()
    const next = '/monitors/1/runs/2?a=b'
    const form = await api.app.inject(`/sign-in?next=${encodeURIComponent(next)}`)
    expect(form.statusCode).toBe(200)
    expect(form.body).toContain(`<input type="hidden" name="next" value="${next}">`)
    const answer = await post('/sign-in', { email, password: PASSWORD, next })
    expect([answer.statusCode, answer.headers.location]).toEqual([302, next])
    const keys = await api.app.inject({ url: '/v1/keys', headers: { cookie: cookieOf(answer) } })
    expect(keys.statusCode).toBe(200)
  })

  test('leads to no other site, whatever the link says', async () => {
    const email = await account()
    for (const next of ['//evil.example', 'https://evil.example/', '/\\evil.example', '/.//evil.example']) {
      const form = await api.app.inject(`/sign-in?next=${encodeURIComponent(next)}`)
      expect(form.body).not.toContain('evil.example')
      const { headers } = await post('/sign-in', { email, password: PASSWORD, next })
      expect(headers.location).toBe('/')
    }
  })

  test('says what is wrong, keeps where the browser goes, and sets no cookie', async () => {
    const email = await account()
    const answer = await post('/sign-in', { email, password: 'a wrong one', next: '/monitors' })
    expect(answer.statusCode).toBe(422)
    expect(answer.body).toMatch(/role="alert">[^<]*password/i)
    expect(answer.body).toContain('name="next" value="/monitors"')
    expect(answer.body).toMatch(new RegExp(`name="email"[^>]* value="${email}"`))
    const hostile = await post('/sign-in', { email: '"><script>', password: 'a wrong one' })
    expect(hostile.body).not.toContain('<script>')
    expect(answer.cookies.filter(({ name }) => name.includes('session'))).toEqual([])
    expect(answer.body).not.toContain('a wrong one')
  })

  test('tells who is signed in already, and where to go on', async () => {
    const email = await account()
    const cookie = cookieOf(await post('/sign-in', { email, password: PASSWORD }))
    const { body } = await api.app.inject({ url: '/sign-in?next=/changes', headers: { cookie } })
    expect(body).toContain(`signed in as ${email}`)
    expect(body).toContain('href="/changes"')
  })

  test('takes no form of another site', async () => {
    const email = await account()
    const answer = await post('/sign-in', { email, password: PASSWORD }, api, { origin: 'https://evil.example' })
    expect(answer.statusCode).toBe(403)
    expect(answer.cookies).toEqual([])
  })

  test('links to the page of new accounts only where people may create one', async () => {
    expect((await api.app.inject('/sign-in')).body).toContain('href="/sign-up"')
    expect((await closed.app.inject('/sign-in')).body).not.toContain('href="/sign-up"')
  })
})

describe('The page of new accounts', () => {
  test('creates one, and sends the browser with its session to the path that it came for', async () => {
    const fields = { name: 'Ben', email: 'ben@example.com', password: PASSWORD, next: '/changes' }
    const answer = await post('/sign-up', fields)
    expect([answer.statusCode, answer.headers.location]).toEqual([302, '/changes'])
    const keys = await api.app.inject({ url: '/v1/keys', headers: { cookie: cookieOf(answer) } })
    expect(keys.statusCode).toBe(200)
  })

  test.each([
    ['the address', { name: 'B', email: 'no', password: PASSWORD }, /address/i],
    ['the password', { name: 'B', email: 'short@example.com', password: 'short' }, /password/i],
    ['a taken address', { name: 'B', email: 'taken@example.com', password: PASSWORD }, /exist/i],
  ])('says what is wrong with %s', async (_what, fields, fault) => {
    await api.call(null, 'POST', '/auth/sign-up/email', { ...fields, email: 'taken@example.com', password: PASSWORD })
    const answer = await post('/sign-up', fields)
    expect(answer.statusCode).toBe(422)
    expect(/role="alert">([^<]*)/.exec(answer.body)?.[1]).toMatch(fault)
  })

  test('says where accounts are made by invitation', async () => {
    const looked = await closed.app.inject('/sign-up')
    expect([looked.statusCode, looked.body]).toEqual([403, expect.stringContaining('by invitation')])
    const answer = await post('/sign-up', { name: 'B', email: 'b@example.com', password: PASSWORD }, closed)
    expect(answer.statusCode).toBe(403)
  })
})

test('the page to sign out ends the session', async () => {
  const email = await account()
  const cookie = cookieOf(await post('/sign-in', { email, password: PASSWORD }))
  expect((await api.app.inject('/sign-out')).body).toContain('action="/sign-out"')
  const answer = await post('/sign-out', {}, api, { cookie })
  expect(answer.body).toContain('You are signed out')
  expect((await api.app.inject({ url: '/v1/keys', headers: { cookie } })).statusCode).toBe(401)
})
