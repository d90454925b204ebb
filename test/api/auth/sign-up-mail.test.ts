import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { startMailWorker } from '../../support/mail/mail-worker.ts'
import { eventually } from '../../support/run/eventually.ts'

let worker: Awaited<ReturnType<typeof startMailWorker>>
let api: TestApi
beforeAll(async () => {
  api = await createTestApi({ signUp: 'open', hasMail: true })
  worker = await startMailWorker(api.services)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await api.close()
})

async function signUp(email: string) {
  const answer = await api.app.inject({
    method: 'POST',
    url: '/auth/sign-up/email',
    payload: { name: 'Ann', email, password: 'correct horse' },
  })
  const body = answer.json() as { token: unknown; user: Record<string, unknown> }
  return { status: answer.statusCode, cookies: answer.cookies, body }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

test('with mail, a sign-up has the same answer for a known address as for an unknown one', async () => {
  const owner = await api.owner()
  const [unknown, known] = [await signUp('new@example.com'), await signUp(owner.email.toUpperCase())]
  for (const [answer, email] of [
    [unknown, 'new@example.com'],
    [known, owner.email],
  ] as const) {
    expect(answer).toMatchObject({ status: 200, cookies: [], body: { token: null, user: { name: 'Ann', email } } })
    expect(answer.body.user['id']).toMatch(UUID)
    expect(answer.body.user['id']).not.toBe(owner.user_id)
  }
  const shape = (user: object) => Object.entries(user).map(([key, value]) => [key, typeof value])
  expect(shape(known.body.user)).toEqual(shape(unknown.body.user))

  expect((await worker.letterTo(owner.email)).mail.text).toContain('has an account there already')
  expect((await worker.letterTo('new@example.com')).mail.subject).toBe('Confirm your address')
  // The password of the account is still its own.
  expect(
    (await api.call(null, 'POST', '/auth/sign-in/email', { email: owner.email, password: owner.password })).status,
  ).toBe(200)
})

test('signing up again and again does not fill a mailbox', async () => {
  const owner = await api.owner()
  const before = worker.mailbox.letters.length
  for (let attempt = 0; attempt < 4; attempt += 1) expect((await signUp(owner.email)).status).toBe(200)
  await eventually(
    () => worker.mailbox.letters.length,
    (count) => count > before,
  )
  // At most one more, where a minute ended meanwhile.
  expect(worker.mailbox.letters.length - before).toBeLessThanOrEqual(2)
})
