import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApi, ENCRYPTION_KEY, type TestApi } from '../../support/api/test-api.ts'

const NEWER = 'a newer key of the tests'
let before: TestApi
let both: TestApi
let after: TestApi
beforeAll(async () => {
  before = await createTestApi({ signUp: 'open' })
  const { databaseUrl, services } = before
  const withKeys = (encryptionKey: string) =>
    createTestApi({ signUp: 'open', encryptionKey, databaseUrl, store: services.store })
  both = await withKeys(`${NEWER},${ENCRYPTION_KEY}`)
  after = await withKeys(NEWER)
})
afterAll(async () => {
  await both.close()
  await after.close()
  await before.close()
})

const post = (api: TestApi, path: string, headers: Record<string, string>, body: object = {}) =>
  api.app.inject({
    method: 'POST',
    url: `/auth/${path}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  })
const usage = async (api: TestApi, headers: Record<string, string>) =>
  (await api.app.inject({ method: 'GET', url: '/v1/usage', headers })).statusCode

async function signedUp(email: string) {
  const answer = await post(before, 'sign-up/email', {}, { name: 'Ann', email, password: 'correct horse' })
  const cookies = answer.cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ')
  return {
    bearer: { authorization: `Bearer ${answer.json().token}` },
    cookie: { cookie: cookies, origin: 'http://127.0.0.1:8080' },
  }
}

test.each(['bearer', 'cookie'] as const)(
  'a session that an older key signed goes on while that key is listed, as %s',
  async (kind) => {
    const headers = (await signedUp(`${kind}@example.com`))[kind]
    expect(await usage(before, headers)).toBe(200)
    expect(await usage(both, headers)).toBe(200)
    expect(await usage(after, headers)).toBe(401)
    // The sign-in library itself knows it too.
    expect((await post(both, 'sign-out', headers)).statusCode).toBe(200)
    expect(await usage(both, headers)).toBe(401)
    expect(await usage(before, headers)).toBe(401)
  },
)

test('a new session is signed with the newest key', async () => {
  await signedUp('newest@example.com')
  const credentials = { email: 'newest@example.com', password: 'correct horse' }
  const answer = await post(both, 'sign-in/email', {}, credentials)
  const headers = { authorization: `Bearer ${answer.json().token}` }
  expect(await usage(after, headers)).toBe(200)
  expect(await usage(before, headers)).toBe(401)
})
