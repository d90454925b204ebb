import { sql } from 'slonik'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import type { Tier } from '../../../schema/account/plan.ts'
import { row } from '../../../store/db/row.ts'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { holdProxyBytes, type ProxyPayer, settleProxyBytes } from '../../../store/quota/proxy-usage.ts'
import { createTestApi } from '../../support/api/test-api.ts'
import { shared } from '../../support/run/shared.ts'

const numberOf = (id: string) => sql.type(row({ no: Type.Integer() }))`select no from monitors where id = ${id}::uuid`
const MB = 1_048_576
const STARTER = 50 * MB

const api = shared(() => createTestApi())

async function team(plan: Tier = 'starter', isOn = true) {
  const owner = await api.owner({ plan })
  await api.sql(`update teams set proxy_enabled = ${isOn} where id = '${owner.team_id}'`)
  const payer: ProxyPayer = { teamId: owner.team_id }
  return {
    owner,
    teamId: owner.team_id,
    hold: (bytes: number) => holdProxyBytes(api.services.store, payer, bytes),
    settle: (reserved: { id: string; teamId: string }, used: number) =>
      settleProxyBytes(api.services.store, reserved, used),
    used: async () => Number((await api.call(owner.api_key, 'GET', '/v1/usage')).body['proxyBytesThisMonth']),
  }
}

async function reserved(one: Awaited<ReturnType<typeof team>>, bytes: number) {
  const hold = await one.hold(bytes)
  if (hold.kind !== 'held') throw new Error(hold.kind)
  return hold
}

describe('bytes of the proxy', () => {
  test('are for teams that have it switched on, in plans that have any', async () => {
    expect(await (await team('pro', false)).hold(MB)).toEqual({ kind: 'off' })
    expect(await (await team('free')).hold(MB)).toEqual({ kind: 'not_in_plan' })
    expect(await (await team('lite')).hold(MB)).toEqual({ kind: 'not_in_plan' })
    for (const plan of ['starter', 'pro', 'scale'] as const)
      expect(await (await team(plan)).hold(MB)).toMatchObject({ kind: 'held', bytes: MB })
  })

  test('are put aside, and what was used is booked', async () => {
    const one = await team()
    const first = await reserved(one, 10 * MB)
    expect(await one.used()).toBe(0)
    await one.settle(first, 1_234)
    expect(await one.used()).toBe(1_234)
    expect((await reserved(one, STARTER)).bytes).toBe(STARTER - 1_234)
  })

  test('are fewer when fewer are left, and none when none are', async () => {
    const one = await team()
    const first = await reserved(one, 40 * MB)
    expect((await reserved(one, 20 * MB)).bytes).toBe(10 * MB)
    expect(await one.hold(1)).toEqual({ kind: 'used_up' })
    await one.settle(first, 39 * MB)
    expect((await reserved(one, 20 * MB)).bytes).toBe(MB)
  })

  test('that were used beyond what was reserved count too, and nothing is given out then', async () => {
    const one = await team()
    await one.settle(await reserved(one, STARTER), STARTER + 5_000)
    expect(await one.used()).toBe(STARTER + 5_000)
    expect(await one.hold(MB)).toEqual({ kind: 'used_up' })
  })

  test('of many at once are never given out twice', async () => {
    const one = await team()
    const holds = await Promise.all(Array.from({ length: 40 }, (_, i) => one.hold((i % 7) * MB + 1_000)))
    const sum = holds.reduce((total, hold) => total + (hold.kind === 'held' ? hold.bytes : 0), 0)
    expect(sum).toBe(STARTER)
  })

  test('that a killed process had reserved come back', async () => {
    const one = await team()
    await reserved(one, STARTER)
    expect(await one.hold(1)).toEqual({ kind: 'used_up' })
    await api.sql(`update proxy_holds set until = clock() - interval '1 second' where team_id = '${one.teamId}'`)
    expect((await reserved(one, STARTER)).bytes).toBe(STARTER)
  })

  test('begin anew with the period', async () => {
    const one = await team()
    await one.settle(await reserved(one, MB), MB)
    await api.sql(`update team_usage set resets_at = clock() - interval '1 hour' where team_id = '${one.teamId}'`)
    await renewPeriods(api.services.store)
    expect(await one.used()).toBe(0)
  })

  test('that are asked for at the end of a period begin the next one; what was reserved counts in it', async () => {
    const one = await team()
    await one.settle(await reserved(one, 30 * MB), 30 * MB)
    const late = await reserved(one, STARTER)
    expect([late.bytes, await one.hold(1)]).toEqual([20 * MB, { kind: 'used_up' }])
    await api.sql(`update team_usage set resets_at = clock() where team_id = '${one.teamId}'`)
    const first = await reserved(one, STARTER)
    expect([first.bytes, await one.used()]).toEqual([30 * MB, 0])
    await one.settle(late, 20 * MB)
    await one.settle(first, 30 * MB)
    expect([await one.used(), await one.hold(1)]).toEqual([STARTER, { kind: 'used_up' }])
  })

  test("are limited by the team's own limit where it has one", async () => {
    const one = await team('scale')
    await api.sql(`update teams set limits = '{"proxyBytesPerMonth": 77}' where id = '${one.teamId}'`)
    expect((await reserved(one, MB)).bytes).toBe(77)
  })

  test('are those of the team whose check it is, and of no other', async () => {
    const [one, other] = [await team('scale'), await team('scale')]
    const { body } = await api.call(one.owner.api_key, 'POST', '/v1/monitors', {
      name: 'M',
      url: 'https://example.com/',
      schedule_interval_seconds: 3600,
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
    })
    const no = await api.services.store.oneFirst(numberOf(String(body['id'])))
    const hold = await holdProxyBytes(api.services.store, { checkNo: no }, MB)
    expect(hold).toMatchObject({ kind: 'held', teamId: one.teamId })
    if (hold.kind === 'held') await one.settle(hold, 5)
    expect([await one.used(), await other.used()]).toEqual([5, 0])
    expect(await holdProxyBytes(api.services.store, { checkNo: 999_999 }, MB)).toEqual({ kind: 'off' })
  })
})
