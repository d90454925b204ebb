import { sql } from 'slonik'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { createResetToken } from '../../../store/accounts/admin-accounts.ts'
import { row } from '../../../store/db/row.ts'
import { createMonitor, MONITOR } from '../../support/api/monitor-requests.ts'
import { acceptAs, accountOf, invite, mailedToken } from '../../support/api/people.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi('scale', { hasMail: true }))

test('no secret reaches the audit log, whatever is done with it', async () => {
  const secrets: string[] = []
  /** A secret that is found again wherever it gets to. */
  const secret = () => {
    const text = `marked${crypto.randomUUID().replaceAll('-', '')}`
    secrets.push(text)
    return text
  }
  const boss = await accountOf(served, 'scale')
  const { client } = boss
  const body = () => ({
    ...MONITOR,
    url: `https://user.example.com/${secret()}?key=${secret()}`,
    request_headers: { authorization: `Bearer ${secret()}` },
    request_config: { method: 'POST', body: JSON.stringify({ password: secret() }) },
    deliveries: [
      { type: 'webhook', url: `https://hooks.example.com/${secret()}`, headers: { 'x-token': secret() } },
      { type: 'slack', webhookUrl: `https://chat.example.com/${secret()}` },
      { type: 'discord', webhookUrl: `https://chat.example.com/${secret()}` },
    ],
  })
  const { id } = await createMonitor(client, body())
  const { name: _, ...changes } = body()
  expect((await client.patch(`/v1/monitors/${id}`, changes)).status).toBe(200)
  secrets.push((await client.get(`/v1/monitors/${id}/signing-secret`)).body.secret)
  secrets.push((await client.post(`/v1/monitors/${id}/signing-secret/rotate`, { grace_hours: 1 })).body.secret)
  for (const action of ['pause', 'resume', 'run']) await client.post(`/v1/monitors/${id}/${action}`)
  const run = await seedRun(served.api.services, id)
  const delivery = await seedDelivery(served.api.services, run, { status: 'dead' })
  expect((await client.post(`/v1/deliveries/${delivery}/replay`)).status).toBe(200)
  expect((await client.post(`/v1/runs/${run}/replay`)).status).toBe(200)
  expect((await client.post('/v1/monitors/bulk', { action: 'delete', ids: [id] })).status).toBe(200)

  const { key, apiKey } = (await client.post('/v1/keys', { name: 'a', scopes: ['write'] })).body
  const { id: keyId } = apiKey as { id: string }
  const rotated = (await client.post(`/v1/keys/${keyId}/rotate`, { grace_period_hours: 0 })).body
  // The first characters of a key are meant to be shown.
  secrets.push(key.slice(8), rotated.key.slice(8))
  await client.delete(`/v1/keys/${(rotated['apiKey'] as { id: string }).id}`)
  await client.patch('/v1/settings', { proxy_enabled: true, error_notifications: false })

  const person = await accountOf(served)
  await invite(boss, person.account.email)
  secrets.push(await mailedToken(served, person.account.email))
  const members = (await client.get('/v1/team/members')).body['invitations'] as { id: string }[]
  await client.post(`/v1/team/invitations/${members[0]?.id}/resend`)
  const token = await mailedToken(served, person.account.email)
  secrets.push(token, token.slice(4, 20))
  expect((await acceptAs(person, token)).status).toBe(200)
  await client.patch(`/v1/team/members/${person.account.user_id}`, { role: 'admin' })
  await client.patch('/v1/team', { name: 'Renamed' })
  secrets.push(boss.account.session_token, boss.account.session_token.split('.')[0] ?? '')
  secrets.push((await createResetToken(served.api.services.store, boss.account.email))?.token ?? '')

  const { all, count } = await served.api.services.store.one(
    sql.type(
      row({ all: Type.String(), count: Type.Integer() }),
    )`select string_agg(e::text, ' ') as all, count(distinct action) from audit_events e`,
  )
  const exported = await fetch(`${served.baseUrl}/v1/team/audit/export`, {
    headers: { authorization: `Bearer ${boss.account.session_token}` },
  })
  const csv = await exported.text()
  expect(count).toBeGreaterThan(15)
  expect(csv.split('\r\n').length).toBeGreaterThan(15)
  expect(secrets.length).toBeGreaterThan(20)
  for (const text of secrets) {
    expect(text.length).toBeGreaterThan(10)
    expect(all).not.toContain(text)
    expect(csv).not.toContain(text)
  }
})
