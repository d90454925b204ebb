import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { isServiceName, SERVICE_TABLE } from '../../../schema/monitor/delivery-services.ts'
import { heartbeatDeliveries, releaseDeliveries } from '../../../store/deliveries/delivery-lease.ts'
import {
  claimDeliveries,
  type ClaimedDelivery,
  recordAttempts,
  type AttemptRecord,
} from '../../../store/deliveries/delivery-queue.ts'
import { chatOf, destinationKey, newDelivery, placeOf, targetKey } from '../../../store/deliveries/delivery-row.ts'
import { replayDelivery, replayRunDeliveries } from '../../../store/deliveries/replay-deliveries.ts'
import { dropDeliveries } from '../../support/database/change-deliveries.ts'
import { OLD_SECRET, openOutbox, SECRET } from '../../support/database/outbox.ts'
import { shared } from '../../support/run/shared.ts'

const TEAM = '00000000-0000-4000-8000-112233445566'

const outbox = shared(openOutbox)
afterEach(async () => {
  await outbox.setClock(0)
  await dropDeliveries(outbox)
  await outbox.query('update monitors set old_signing_secret = null, old_secret_until = null')
})

const urlOf = (host: string) => `https://${host}/hook`
const keyOf = (url: string) => destinationKey(outbox.teamId, { type: 'webhook', url })
let A: string
let B: string
beforeAll(() => {
  A = keyOf(urlOf('a.example'))
  B = keyOf(urlOf('b.example'))
})
const to = (key: string) => outbox.webhook(urlOf(placeOf(key).host.replace(':443', '')))
const claim = (...hosts: string[]) =>
  claimDeliveries(outbox.store, { rooms: hosts.map((host) => ({ host, room: 10 })), limit: 100, leaseSeconds: 60 })

async function claimOne(host: string): Promise<ClaimedDelivery> {
  const [claimed] = await claim(host)
  if (claimed === undefined) throw new Error('nothing was claimed')
  return claimed
}

function recordOf({ id, fence }: ClaimedDelivery, more: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    id,
    fence,
    status: 'failed',
    attempts: 1,
    retry_after_seconds: 300,
    ended_ago_ms: 0,
    response_status: 500,
    response_body: 'no',
    ...more,
  }
}

/** The services that document a pace, and the options whose values have one each. */
const PACED_BY: Readonly<Record<string, readonly string[]>> = {
  teams: [],
  telegram: ['chat_id'],
  matrix: ['access_token'],
  google_chat: [],
  ntfy: [],
  pushover: ['user'],
  pagerduty: ['routing_key'],
}

describe('a new delivery', () => {
  test('has an id that sorts by time and stands in its payload, and a target that only the key opens', () => {
    const { secrets, teamId } = outbox
    const config = { type: 'webhook', url: 'https://a.example/hook?token=hidden' } as const
    const at = Date.UTC(2026, 4, 1)
    const row = newDelivery({ secrets, teamId, config, at, payload: (id) => ({ id, text: 'ünï\n👍' }) })
    expect(row.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(row.id.replaceAll('-', '').slice(0, 12), 16)).toBe(at)
    expect(JSON.parse(row.payload)).toEqual({ id: row.id, text: 'ünï\n👍' })
    expect(row.target.includes('hidden')).toBe(false)
    expect(secrets.open({ teamId, column: 'deliveries.target', rowId: row.id }, row.target)).toEqual(config)
  })

  test('has a key for each target of each team, in which the host and port of its destination stand', () => {
    const key = (config: DeliveryConfig, team = TEAM) => destinationKey(team, config)
    const hook = (url: string) => key({ type: 'webhook', url })
    expect(placeOf(hook('https://A.example/x'))).toEqual({ host: 'a.example:443', team: '112233445566' })
    expect(placeOf(key({ type: 'slack', webhookUrl: 'http://a.example/x' })).host).toBe('a.example:80')
    expect(placeOf(key({ type: 'discord', webhookUrl: 'http://[::1]:8080/x' })).host).toBe('[::1]:8080')
    expect(hook('https://a.example/x')).toBe(hook('https://a.example/x'))
    expect(hook('https://a.example/x')).not.toBe(hook('https://a.example/y'))
    const mail = { type: 'email', to: 'a@a.example' } as const
    expect(key(mail)).not.toBe(key(mail, randomUUID()))
    expect(key(mail)).toBe(key({ type: 'email', to: 'b@b.example' }))
    expect(placeOf(key(mail)).host).toBe('smtp')
  })

  test('of a service has the options that say where in its key, and its name where it is paced', () => {
    const url = 'https://a.example/bot0123/sendMessage'
    const to = (service: 'telegram' | 'gotify', options: Record<string, string>): DeliveryConfig => ({
      ...{ type: 'webhook', url, service, options },
    })
    const key = (config: DeliveryConfig) => destinationKey(TEAM, config)
    const [one, other] = [to('telegram', { chat_id: '1' }), to('telegram', { chat_id: '2' })]
    expect(key(one)).toMatch(/^a\.example:443 112233445566 telegram:[0-9a-f]{8}$/)
    expect(key(one)).not.toBe(key(other))
    expect(targetKey(one)).not.toBe(targetKey(other))
    expect(targetKey(one)).toBe(targetKey(to('telegram', { chat_id: '1', disable_notification: 'true' })))
    expect(chatOf(key(one))?.everyMs).toBe(3_000)
    expect(key(to('gotify', { token: 'a' }))).toMatch(/^a\.example:443 112233445566 [0-9a-f]{8}$/)
    expect(chatOf(key(to('gotify', { token: 'a' })))).toBeNull()
    const payload = () => ({})
    const row = newDelivery({ secrets: outbox.secrets, teamId: outbox.teamId, config: one, at: 0, payload })
    expect(row).toMatchObject({ type: 'webhook', level: 2 })
    expect(row.target.includes('chat_id')).toBe(false)
  })

  // What each service documents: a Telegram chat, a Matrix account, a Pushover user and a PagerDuty integration have an
  // allowance of their own. The others count what arrives at an address, or from one.
  test.each(Object.entries(PACED_BY))('to %s has one pace an address, and one for each %s', (service, paced) => {
    if (!isServiceName(service)) throw new Error(`${service} is no service`)
    const { options, url } = SERVICE_TABLE[service]
    const examples = Object.fromEntries(Object.entries(options).map(([key, { example }]) => [key, example]))
    const paceOf = (more: Record<string, string> = {}, at = url) =>
      chatOf(destinationKey(TEAM, { type: 'webhook', service, url: at, options: { ...examples, ...more } }))
    expect(paceOf()?.everyMs).toBe(SERVICE_TABLE[service].everyMs)
    expect(paceOf({}, `${url}/other`)).not.toEqual(paceOf())
    const others = Object.keys(options).filter((key) => paceOf({ [key]: 'other' })?.address !== paceOf()?.address)
    expect(others).toEqual(paced)
  })

  test('of the service custom is one for each body and method', () => {
    const custom = { type: 'webhook', url: 'https://a.example/', service: 'custom' } as const
    const keys = [
      custom,
      { ...custom, body: 'a' },
      { ...custom, body: 'b' },
      { ...custom, body: 'a', method: 'PUT' },
    ] as const
    expect(new Set(keys.map(targetKey)).size).toBe(4)
    expect(new Set(keys.map((one) => destinationKey(TEAM, one))).size).toBe(1)
  })

  test('which waits for no hours has none for its further attempts', () => {
    const quiet_hours = { from: '00:00', until: '23:59', time_zone: 'UTC' }
    const config = { type: 'slack', webhookUrl: 'https://a.example/', quiet_hours } as const
    const about = {
      secrets: outbox.secrets,
      teamId: outbox.teamId,
      config,
      at: 0,
      payload: () => ({}),
      by: { quiet_hours },
    }
    const opened = (row: ReturnType<typeof newDelivery>) =>
      outbox.secrets.open({ teamId: outbox.teamId, column: 'deliveries.target', rowId: row.id }, row.target)
    const [held, never] = [newDelivery(about), newDelivery({ ...about, isNeverHeld: true })]
    expect([held.held, opened(held)]).toEqual(['quiet_hours', config])
    expect([never.held, opened(never)]).toEqual([null, { type: 'slack', webhookUrl: 'https://a.example/' }])
  })

  test('without a service has the keys of the release before services', () => {
    const hook = { type: 'webhook', url: 'https://a.example/hook' } as const
    expect(targetKey(hook)).toBe('8e5a0b5c449326d9')
    expect(destinationKey(TEAM, hook)).toBe('a.example:443 112233445566 7225f113')
    const chat = { type: 'slack', webhookUrl: 'https://a.example/hook' } as const
    expect(destinationKey(TEAM, chat)).toBe('a.example:443 112233445566 slack:7225f113')
  })

  test('of an earlier release has a host alone as key', () => {
    expect(placeOf('a.example:443')).toEqual({ host: 'a.example:443', team: '' })
  })

  test('shows of its target a hash that is too short to tell a guess by', () => {
    expect(keyOf('https://a.example/hook?token=hidden')).toMatch(/^a\.example:443 [0-9a-f]{12} [0-9a-f]{8}$/)
  })
})

describe('a claim of deliveries', () => {
  test('takes the most overdue ones of each destination up to its room, and each once', async () => {
    const ids = [await to(A), await to(A), await to(A), await to(B)]
    for (const [index, id] of ids.entries())
      await outbox.query(`update deliveries set due_at = clock() - make_interval(mins => $2) where id = $1`, [
        id,
        10 - index,
      ])
    const rooms = [
      { host: A, room: 2 },
      { host: B, room: 2 },
    ]
    const first = await claimDeliveries(outbox.store, { rooms, limit: 10, leaseSeconds: 60 })
    expect(new Set(first.map(({ id }) => id))).toEqual(new Set([ids[0], ids[1], ids[3]]))
    expect(first[0]?.late_ms).toBeGreaterThan(6 * 60_000)
    const second = await claimDeliveries(outbox.store, { rooms, limit: 10, leaseSeconds: 60 })
    expect(second.map(({ id }) => id)).toEqual([ids[2]])
  })

  test('never takes more than its limit', async () => {
    for (let count = 0; count < 4; count++) await to(count % 2 === 0 ? A : B)
    const rooms = [
      { host: A, room: 5 },
      { host: B, room: 5 },
    ]
    expect(await claimDeliveries(outbox.store, { rooms, limit: 3, leaseSeconds: 60 })).toHaveLength(3)
  })

  test('gives nothing twice to many that claim at the same time', async () => {
    await outbox.addAll(Array.from({ length: 60 }, () => outbox.row({ type: 'webhook', url: urlOf('a.example') })))
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(A)))
    const taken = claims.flat()
    // Alone, for a claim skips what another holds at that moment.
    for (let rest = await claim(A); rest.length > 0; rest = await claim(A)) taken.push(...rest)
    expect(taken).toHaveLength(60)
    expect(new Set(taken.map(({ id }) => id)).size).toBe(60)
  })

  test('takes again what was claimed and never recorded when the lease is over, under a higher fence', async () => {
    await to(A)
    const first = await claimOne(A)
    await outbox.setClock(59)
    expect(await claim(A)).toEqual([])
    await outbox.setClock(61)
    const second = await claimOne(A)
    expect(second).toMatchObject({ id: first.id, payload: first.payload, fence: first.fence + 1 })
  })

  test("brings the monitor's secret, and the one before only while its grace lasts", async () => {
    const place = { teamId: outbox.teamId, column: 'monitors.signing_secret', rowId: outbox.monitorId } as const
    const before = { ...place, column: 'monitors.old_signing_secret' } as const
    await outbox.keepOldSecret()
    await to(A)
    const during = await claimOne(A)
    expect(outbox.secrets.open(place, during.signing_secret ?? Buffer.alloc(0))).toBe(SECRET)
    expect(outbox.secrets.open(before, during.old_signing_secret ?? Buffer.alloc(0))).toBe(OLD_SECRET)
    await outbox.setClock(3_601)
    expect((await claimOne(A)).old_signing_secret).toBeNull()
  })
})

describe('the record of an attempt', () => {
  test('sets the next attempt after the end of this one, not after its writing', async () => {
    await to(A)
    const claimed = await claimOne(A)
    expect(await recordAttempts(outbox.store, [recordOf(claimed, { ended_ago_ms: 2_000 })])).toEqual(
      new Set([claimed.id]),
    )
    const row = await outbox.see(claimed.id)
    expect(row).toMatchObject({ status: 'failed', attempts: 1, response_status: 500, response_body: 'no' })
    expect(Number(row.next_attempt_at) - Number(row.last_attempt_at)).toBe(300_000)
    expect(row.due_at).toEqual(row.next_attempt_at)
    expect(Date.now() - Number(row.last_attempt_at)).toBeGreaterThanOrEqual(1_990)
  })

  test('that is the last leaves nothing due', async () => {
    await to(A)
    const claimed = await claimOne(A)
    await recordAttempts(outbox.store, [recordOf(claimed, { status: 'dead', attempts: 6, retry_after_seconds: null })])
    expect(await outbox.see(claimed.id)).toMatchObject({
      status: 'dead',
      attempts: 6,
      due_at: null,
      next_attempt_at: null,
    })
  })

  test('changes nothing under a fence that is not the last, and leaves the others of its batch alone', async () => {
    await to(A)
    const zombie = await claimOne(A)
    await outbox.setClock(61)
    const owner = await claimOne(A)
    await to(B)
    const other = await claimOne(B)
    const before = await outbox.see(zombie.id)
    expect(await recordAttempts(outbox.store, [recordOf(zombie), recordOf(other)])).toEqual(new Set([other.id]))
    expect(await outbox.see(zombie.id)).toEqual(before)
    expect(await recordAttempts(outbox.store, [recordOf(owner)])).toEqual(new Set([owner.id]))
  })

  test('counts once when it is written twice, because the answer of the first was lost', async () => {
    await to(A)
    const claimed = await claimOne(A)
    await recordAttempts(outbox.store, [recordOf(claimed)])
    const before = await outbox.see(claimed.id)
    expect(await recordAttempts(outbox.store, [recordOf(claimed)])).toEqual(new Set())
    expect(await outbox.see(claimed.id)).toEqual(before)
  })
})

describe('the lease of a delivery', () => {
  test('is extended by a heartbeat of who holds it, and of nobody else', async () => {
    await to(A)
    const claimed = await claimOne(A)
    await outbox.setClock(50)
    expect(await heartbeatDeliveries(outbox.store, [{ ...claimed, fence: claimed.fence + 1 }], 60)).toEqual(new Set())
    expect(await heartbeatDeliveries(outbox.store, [claimed], 60)).toEqual(new Set([claimed.id]))
    await outbox.setClock(100)
    expect(await claim(A)).toEqual([])
  })

  test('is not brought back by a heartbeat that comes after the record', async () => {
    await to(A)
    const claimed = await claimOne(A)
    await recordAttempts(outbox.store, [recordOf(claimed, { status: 'success', retry_after_seconds: null })])
    expect(await heartbeatDeliveries(outbox.store, [claimed], 60)).toEqual(new Set())
    expect((await outbox.see(claimed.id)).due_at).toBeNull()
  })

  test('ends with a release: due at once, no attempt counted, and a later result changes nothing', async () => {
    await to(A)
    const claimed = await claimOne(A)
    await releaseDeliveries(outbox.store, [claimed])
    expect(await recordAttempts(outbox.store, [recordOf(claimed)])).toEqual(new Set())
    expect(await claimOne(A)).toMatchObject({ id: claimed.id, attempts: 0 })
  })
})

describe('the replay of a delivery', () => {
  const settle = async (id: string, status: string, next: string | null = null) =>
    outbox.query(
      `update deliveries set status = $2, attempts = 6, next_attempt_at = clock() + $3::interval, due_at = ` +
        `clock() + $3::interval where id = $1`,
      [id, status, next],
    )

  test.each(['failed', 'dead'])('puts a %s one back to pending, due at once, attempts 0', async (status) => {
    const id = await to(A)
    await settle(id, status)
    const before = await outbox.see(id)
    expect(await replayDelivery(outbox.store, outbox.teamId, id)).toMatchObject({ id })
    const after = await outbox.see(id)
    expect(after).toMatchObject({ status: 'pending', attempts: 0, payload: before.payload, fence: before.fence + 1 })
    expect(after.next_attempt_at).toEqual(after.due_at)
    expect(await claim(A)).toHaveLength(1)
  })

  test.each(['pending', 'success'])('leaves a %s one as it is', async (status) => {
    const id = await to(A)
    await settle(id, status)
    expect(await replayDelivery(outbox.store, outbox.teamId, id)).toBeNull()
    expect(await outbox.see(id)).toMatchObject({ status })
  })

  test('fences off an attempt that is under way', async () => {
    const id = await to(A)
    await settle(id, 'failed', '0')
    const claimed = await claimOne(A)
    await replayDelivery(outbox.store, outbox.teamId, id)
    expect(await recordAttempts(outbox.store, [recordOf(claimed)])).toEqual(new Set())
    expect(await outbox.see(id)).toMatchObject({ status: 'pending', attempts: 0 })
  })

  test('of another team does nothing', async () => {
    const id = await to(A)
    await settle(id, 'dead')
    expect(await replayDelivery(outbox.store, randomUUID(), id)).toBeNull()
    expect(await replayRunDeliveries(outbox.store, randomUUID(), randomUUID())).toEqual([])
    expect(await outbox.see(id)).toMatchObject({ status: 'dead' })
  })

  test('of a run takes every failed and dead one, those that have an attempt ahead too', async () => {
    const runId = randomUUID()
    const url = 'https://a.example/'
    const [dead, final, waiting, sent] = await Promise.all(
      Array.from({ length: 4 }, () => outbox.webhook(url, { runId })),
    )
    const elsewhere = await outbox.webhook(url)
    await settle(String(dead), 'dead')
    await settle(String(final), 'failed')
    await settle(String(waiting), 'failed', '1 hour')
    await settle(String(sent), 'success')
    await settle(elsewhere, 'dead')
    const replayed = await replayRunDeliveries(outbox.store, outbox.teamId, runId)
    expect(new Set(replayed.map(({ id }) => id))).toEqual(new Set([dead, final, waiting]))
  })
})
