import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../../store/accounts.ts'
import { createTestApi, type TestApi } from '../test-api.ts'

let api: TestApi
let owner: CreatedOwner
beforeAll(async () => {
  api = await createTestApi()
  owner = await api.owner()
})
afterAll(() => api.close())

interface Issued {
  key: string
  apiKey: { id: string; name: string; scopes: string[]; expires_at: string | null }
}
const create = async (body: object): Promise<Issued> => {
  const answer = await api.call(owner.session_token, 'POST', '/v1/keys', body)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body as never
}
const works = async (key: string) => (await api.call(key, 'GET', '/v1/keys')).status

test('a key is shown whole once, with the id, name, scopes and expiry of its record', async () => {
  const issued = await create({ name: 'Deploy' })
  expect(issued.key).toMatch(/^svc_[0-9A-Za-z]{36}$/)
  expect(issued.apiKey).toEqual({ id: expect.any(String), name: 'Deploy', scopes: ['read'], expires_at: null })
})
