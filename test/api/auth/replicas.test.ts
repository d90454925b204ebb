import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../../api/http/app.ts'
import { createServices, type Services } from '../../../api/services.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { servedRoutes } from '../../support/api/all-routes.ts'
import { acceptAs, accountOf, type Person, tokenFor } from '../../support/api/people.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { ENCRYPTION_KEY } from '../../support/api/test-api.ts'

let served: ServedApi
let store: Store
let services: Services
let replica: ReturnType<typeof buildApp>
beforeAll(async () => {
  served = await serveApi('scale', { hasMail: true })
  const { databaseUrl, services: first } = served.api
  store = await openStore({ url: databaseUrl, name: 'another replica', connections: 3 })
  services = createServices({ ...first, store, databaseUrl, encryptionKey: ENCRYPTION_KEY, hasMail: true })
  replica = buildApp(services, servedRoutes)
})
afterAll(async () => {
  await replica.close()
  await services.close()
  await store.end()
  await served.close()
})

/** What another replica tells a session of its team. */
async function elsewhere({ account }: Person) {
  const headers = { authorization: `Bearer ${account.session_token}` }
  const answer = await replica.inject({ url: '/v1/team', headers })
  return { status: answer.statusCode, ...answer.json<{ id?: string; role?: string }>() }
}

test('a new role, a switch and a removal hold on every replica from the next request on', async () => {
  const boss = await accountOf(served, 'scale')
  const person = await accountOf(served)
  expect(await elsewhere(person)).toMatchObject({ id: person.account.team_id, role: 'owner' })
  await acceptAs(person, await tokenFor(served, boss, person, 'admin'))
  expect(await elsewhere(person)).toMatchObject({ id: boss.account.team_id, role: 'admin' })
  const path = `/v1/team/members/${person.account.user_id}`
  await boss.client.patch(path, { role: 'viewer' })
  expect(await elsewhere(person)).toMatchObject({ id: boss.account.team_id, role: 'viewer' })
  await person.client.post('/v1/team/switch', { team_id: person.account.team_id })
  expect(await elsewhere(person)).toMatchObject({ id: person.account.team_id })
  await person.client.post('/v1/team/switch', { team_id: boss.account.team_id })
  expect(await elsewhere(person)).toMatchObject({ id: boss.account.team_id })
  await boss.client.delete(path)
  expect(await elsewhere(person)).toMatchObject({ id: person.account.team_id, role: 'owner' })
  await served.api.call(person.account.session_token, 'DELETE', '/v1/account', { email: person.account.email })
  expect(await elsewhere(person)).toMatchObject({ status: 401 })
})
