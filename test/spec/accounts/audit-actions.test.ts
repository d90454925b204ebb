import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AUDIT_ACTIONS } from '../../../schema/account/audit.ts'
import { row } from '../../../store/db/row.ts'
import { forgetOld } from '../../../store/maintenance/retention.ts'
import { openPaidInstallation, type PaidInstallation } from '../../accounts/billing/paid-installation.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { acceptAs, accountOf, invite, type Person, setClock, tokenFor } from '../../support/api/people.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { shownSession } from '../../support/api/stripe-server.ts'

let served: ServedApi
let paid: PaidInstallation
beforeAll(async () => {
  served = await serveApi('scale', { hasMail: true })
  paid = await openPaidInstallation()
})
afterAll(async () => {
  await paid.close()
  await served.close()
})

interface Recorded {
  readonly action: string
  readonly target_type: string
  readonly target_id: string | null
  readonly target_label: string | null
  readonly actor: { readonly type: string; readonly label: string }
  readonly ip_address: string | null
}
const logOf = async ({ client }: Person): Promise<readonly Recorded[]> =>
  ((await client.get('/v1/team/audit?limit=100')).body.data as never as Recorded[]).toReversed()
const brief = ({ action, target_type, target_id, target_label }: Recorded) => [
  action,
  target_type,
  target_id,
  target_label,
]

const HOOK = { type: 'webhook', url: 'https://hooks.example.com/' }
/** What this file has seen recorded. */
const seen = new Set<string>()

test('a change of a monitor, a search, a delivery, a key or a setting is recorded once, with its target', async () => {
  const boss = await accountOf(served, 'scale')
  const { client, account } = boss
  await served.api.sql(`update teams set serp = 'included' where id = '${account.team_id}'`)
  const expected: unknown[] = []
  const does = async (call: ReturnType<typeof client.get>, ...line: readonly (string | null)[]) => {
    const { status, body } = await call
    expect(status, `${line[0]}: ${JSON.stringify(body)}`).toBeLessThan(300)
    expected.push(line)
    return body
  }
  for (const [type, path, create] of [
    ['monitor', '/v1/monitors', { deliveries: [HOOK] }],
    ['serp_monitor', '/v1/serp-monitors', { deliveries: [HOOK] }],
  ] as const) {
    const search = { name: 'Prices', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
    const { id } =
      type === 'monitor'
        ? await createMonitor(client, create)
        : (await client.post(path, { ...search, ...create })).body
    expected.push([`${type}.created`, type, id, 'Prices'])
    const one = `${path}/${id}`
    await does(client.patch(one, { name: 'Costs' }), `${type}.updated`, type, id, 'Costs')
    await does(client.post(`${one}/pause`), `${type}.paused`, type, id, 'Costs')
    await does(client.post(`${one}/resume`), `${type}.resumed`, type, id, 'Costs')
    await does(client.post(`${one}/run`), `${type}.run_triggered`, type, id, 'Costs')
    await does(client.post(`${one}/signing-secret/rotate`), `${type}.secret_rotated`, type, id, 'Costs')
    await does(client.delete(one), `${type}.deleted`, type, id, 'Costs')
  }
  const { id } = await createMonitor(client, { deliveries: [HOOK] })
  expected.push(['monitor.created', 'monitor', id, 'Prices'])
  const run = await seedRun(served.api.services, id)
  const delivery = await seedDelivery(served.api.services, run, { status: 'dead' })
  await does(client.post(`/v1/deliveries/${delivery}/replay`), 'delivery.replayed', 'delivery', delivery, 'Prices')
  const created = await client.post('/v1/keys', { name: 'CI' })
  const first = created.body['apiKey'] as { readonly id: string }
  const label = created.body.key.slice(0, 8)
  expected.push(['api_key.created', 'api_key', first.id, label])
  const rotation = client.post(`/v1/keys/${first.id}/rotate`, { grace_period_hours: 0 })
  const { key, apiKey } = await does(rotation, 'api_key.rotated', 'api_key', first.id, label)
  const second = (apiKey as { readonly id: string }).id
  await does(client.delete(`/v1/keys/${second}`), 'api_key.deleted', 'api_key', second, key.slice(0, 8))
  const settings = client.patch('/v1/settings', { proxy_enabled: true })
  await does(settings, 'settings.proxy_toggled', 'settings', account.team_id, null)
  const log = await logOf(boss)
  expect(log.map(brief)).toEqual(expected)
  for (const { actor, ip_address } of log)
    expect({ actor, ip_address }).toMatchObject({
      actor: { type: 'user', label: account.email },
      ip_address: '127.0.0.1',
    })
  for (const { action } of log) seen.add(action)
})

test('a bulk action is recorded, and so is what it does to each monitor', async () => {
  const boss = await accountOf(served, 'scale')
  const ids = [(await createMonitor(boss.client)).id, (await createMonitor(boss.client)).id]
  expect((await boss.client.post('/v1/monitors/bulk', { action: 'pause', ids })).status).toBe(200)
  const log = (await logOf(boss)).slice(2)
  expect(log.map(({ action }) => action).toSorted()).toEqual([
    'monitor.bulk_action',
    'monitor.paused',
    'monitor.paused',
  ])
  expect(log.filter(({ action }) => action === 'monitor.paused').map(({ target_id }) => target_id)).toEqual(
    expect.arrayContaining(ids),
  )
  for (const { action } of log) seen.add(action)
})

test('what a key does is recorded under its name, and the making of the key under its maker', async () => {
  const boss = await accountOf(served, 'scale')
  const admin = await accountOf(served)
  await acceptAs(admin, await tokenFor(served, boss, admin, 'admin'))
  const { key, apiKey } = (await admin.client.post('/v1/keys', { name: 'Deploy', scopes: ['write'] })).body
  const { id } = apiKey as { readonly id: string }
  await createMonitor(served.as(key))
  expect((await logOf(boss)).slice(-2)).toMatchObject([
    { action: 'api_key.created', target_id: id, actor: { type: 'user', label: admin.account.email } },
    { action: 'monitor.created', actor: { type: 'api_key', id, label: 'Deploy' } },
  ])
  const { data } = (await boss.client.get('/v1/keys')).body
  expect(data.find((one) => one['id'] === id)).toMatchObject({ created_by: admin.account.user_id })
})

test('each change of a team, its members and its invitations is recorded', async () => {
  const boss = await accountOf(served, 'scale')
  const other = await accountOf(served)
  const member = `/v1/team/members/${other.account.user_id}`
  await boss.client.patch('/v1/team', { name: 'Night shift' })
  const { id } = (await invite(boss, 'gone@example.com')).body
  await boss.client.post(`/v1/team/invitations/${id}/resend`)
  await boss.client.delete(`/v1/team/invitations/${id}`)
  await acceptAs(other, await tokenFor(served, boss, other))
  await boss.client.patch(member, { role: 'viewer' })
  await other.client.delete(member)
  await acceptAs(other, await tokenFor(served, boss, other))
  await boss.client.delete(member)
  const { team_id } = boss.account
  const { user_id, email } = other.account
  const anyId = expect.any(String)
  const log = await logOf(boss)
  expect(log.map(brief)).toEqual([
    ['team.renamed', 'team', team_id, 'Night shift'],
    ['team.member_invited', 'invitation', id, 'gone@example.com'],
    ['team.invitation_resent', 'invitation', id, 'gone@example.com'],
    ['team.invitation_revoked', 'invitation', id, 'gone@example.com'],
    ['team.member_invited', 'invitation', anyId, email],
    ['team.member_joined', 'member', user_id, email],
    ['team.member_role_changed', 'member', user_id, email],
    ['team.member_left', 'member', user_id, email],
    ['team.member_invited', 'invitation', anyId, email],
    ['team.member_joined', 'member', user_id, email],
    ['team.member_removed', 'member', user_id, email],
  ])
  for (const { action } of log) seen.add(action)
})

test('each change of billing is recorded', async () => {
  const { owner } = await paid.subscribed()
  await paid.post(owner, 'cancel')
  await paid.post(owner, 'resume')
  await paid.post(owner, 'credits', { runs: 5000 })
  expect(await paid.deliver(paid.stripe.event('checkout.session.completed', shownSession(paid.stripe.pay())))).toBe(204)
  const log = (await paid.auditOf(owner)) as unknown as readonly Recorded[]
  expect(log.map(({ action }) => action)).toEqual([
    'billing.checkout_started',
    'billing.plan_changed',
    'billing.cancelled',
    'billing.resumed',
    'billing.checkout_started',
    'billing.credits_purchased',
  ])
  for (const { action, target_type, target_id } of log) {
    expect({ action, target_type, target_id }).toEqual({
      action,
      target_type: 'subscription',
      target_id: owner.team_id,
    })
    seen.add(action)
  }
})

test('with these, each of the 33 actions of the interface was recorded', () => {
  const beyond = ['settings.error_notifications_toggled', 'billing.credits_granted', 'delivery.tested']
  beyond.push('delivery.released', 'delivery.dropped')
  for (const type of ['monitor', 'serp_monitor']) beyond.push(`${type}.muted`, `${type}.unmuted`)
  const known = Object.keys(AUDIT_ACTIONS).filter(
    (one) => !beyond.includes(one) && !/^(?:account|status_page)\./.test(one),
  )
  expect(known).toHaveLength(33)
  expect([...seen].toSorted()).toEqual(known.toSorted())
})

test.each([
  ['free', 14],
  ['lite', 90],
  ['starter', 180],
  ['pro', 365],
  ['scale', 730],
] as const)('on %s, events are shown for %i days, and then deleted by the daily clean-up', async (plan, days) => {
  const boss = await accountOf(served, plan)
  await boss.client.patch('/v1/team', { name: 'Old' })
  const { store } = served.api.services
  const stored = () =>
    store.oneFirst(sql.type(row({ count: Type.Integer() }))`
      select count(*) from audit_events where team_id = ${boss.account.team_id}`)
  try {
    await setClock(served, `${days} days -1 minute`)
    await forgetOld(store, new AbortController().signal)
    expect(await logOf(boss)).toHaveLength(1)
    await setClock(served, `${days} days 1 minute`)
    expect(await logOf(boss)).toEqual([])
    expect(await stored()).toBe(1)
    await forgetOld(store, new AbortController().signal)
    expect(await stored()).toBe(0)
  } finally {
    await setClock(served, '0')
  }
})
