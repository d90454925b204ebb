import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
let base: string
beforeAll(async () => {
  api = await createTestApi({ trustedProxies: ['127.0.0.1'] })
  base = await api.listen()
})
afterAll(() => api.close())
// Far enough from the end of a minute that it does not end during a test.
beforeEach(() => {
  const offset = 10_000 - (Date.now() % 60_000)
  const name = new URL(api.databaseUrl).pathname.slice(1)
  return api.sql(`alter database ${name} set tidemark.clock_offset = '${offset} milliseconds'`)
})

/** Each from a network of its own. */
let network = 0
async function signIn({ email }: { email: string }, password: string, headers: Record<string, string> = {}) {
  network += 1
  const answer = await api.app.inject({
    method: 'POST',
    url: '/auth/sign-in/email',
    headers: { 'x-forwarded-for': `203.0.113.${network}`, ...headers },
    payload: { email, password },
  })
  return { status: answer.statusCode, cookies: answer.cookies }
}

async function lockOut(owner: CreatedOwner): Promise<void> {
  const statuses: number[] = []
  for (let attempt = 0; attempt < 11; attempt += 1) statuses.push((await signIn(owner, 'wrong password')).status)
  expect(statuses[0]).toBe(401)
  expect(statuses.at(-1)).toBe(429)
}

const markerOf = ({ cookies }: Awaited<ReturnType<typeof signIn>>) => {
  const marker = cookies.find(({ name }) => name === 'tidemark.device')
  return `${marker?.name}=${marker?.value}`
}

describe('wrong passwords from elsewhere', () => {
  test('lock out others, but not the browser that was signed in before', async () => {
    const owner = await api.owner()
    const cookie = markerOf(await signIn(owner, owner.password))
    await lockOut(owner)
    expect((await signIn(owner, owner.password)).status).toBe(429)
    expect((await signIn(owner, owner.password, { cookie })).status).toBe(200)
    expect((await signIn(owner, owner.password, { cookie: `a=b; ${cookie}` })).status).not.toBe(429)
  })

  test('do not lock out the network from which the account was signed in to before', async () => {
    const owner = await api.owner()
    const home = { 'x-forwarded-for': '2001:db8:1:2::5' }
    expect((await signIn(owner, owner.password, home)).status).toBe(200)
    await lockOut(owner)
    expect((await signIn(owner, owner.password, { 'x-forwarded-for': '2001:db8:1:2::6' })).status).toBe(200)
    expect((await signIn(owner, owner.password, { 'x-forwarded-for': '2001:db8:1:3::5' })).status).toBe(429)
  })

  test('count against a device too when it sends them itself', async () => {
    const owner = await api.owner()
    const cookie = markerOf(await signIn(owner, owner.password))
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await signIn(owner, 'wrong password', { cookie })).status).toBe(401)
    expect((await signIn(owner, owner.password, { cookie })).status).toBe(429)
  })

  test('are not helped by the marker of another account, or a made-up one', async () => {
    const [owner, other] = [await api.owner(), await api.owner()]
    const cookie = markerOf(await signIn(other, other.password))
    await lockOut(owner)
    for (const text of [cookie, cookie.slice(0, -1), 'tidemark.device=a.b', 'tidemark.device=', 'tidemark.device'])
      expect((await signIn(owner, owner.password, { cookie: text })).status).toBe(429)
  })
})

describe('signing in without a browser', () => {
  const fetched = (owner: CreatedOwner, headers: Record<string, string> = {}) => {
    network += 1
    return fetch(`${base}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${network}`, ...headers },
      body: JSON.stringify({ email: owner.email, password: owner.password }),
    })
  }

  test("Node's own fetch, which sends no Origin, gets a session", async () => {
    const owner = await api.owner()
    const answer = await fetched(owner)
    expect(answer.status).toBe(200)
    const { token } = (await answer.json()) as { token: string }
    expect((await api.call(token, 'GET', '/v1/keys')).status).toBe(200)
  })

  test('a browser that another site sent is refused, with fetch metadata or without', async () => {
    const owner = await api.owner()
    const crossSite = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
    const evil = { origin: 'https://evil.example' }
    for (const headers of [crossSite, { ...crossSite, ...evil }, evil, { origin: 'null' }])
      expect((await fetched(owner, headers)).status).toBe(403)
    expect((await fetched(owner, { ...crossSite, 'sec-fetch-mode': 'navigate' })).status).toBe(403)
    const own = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', origin: 'http://127.0.0.1:8080' }
    expect((await fetched(owner, own)).status).toBe(200)
  })
})
