import { describe, expect, test } from 'vitest'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import type { Outbox } from '../../../store/deliveries/delivery-lease.ts'
import { newDelivery } from '../../../store/deliveries/delivery-row.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)
const digest = { every_seconds: 3600 }
const SLACK = { type: 'slack', webhookUrl: 'https://a.example/' } as const
const HOOK = { type: 'webhook', url: 'https://a.example/' } as const
const HOUR = '1970-01-01T01:00:00.000Z'

function made(given: Partial<Parameters<typeof newDelivery>[0]>) {
  const { secrets, teamId } = outbox
  const into: Outbox = given.outbox ?? 'deliveries'
  const row = newDelivery({ secrets, teamId, config: SLACK, at: 0, payload: () => ({}), by: { digest }, ...given })
  const target = secrets.open({ teamId, column: `${into}.target`, rowId: row.id }, row.target)
  return { held: row.held, until: row.held_until, key: row.digest, level: row.level, target }
}

describe('A message to a destination with a digest', () => {
  const key = expect.stringMatching(/^[0-9a-f]{16}$/)

  test('of a change waits for it, and has its key, a level and the digest of its monitor', () => {
    expect(made({})).toEqual({ held: 'digest', until: HOUR, key, level: 2, target: { ...SLACK, digest } })
  })

  test('of a notice waits as long, by itself', () => {
    expect(made({ outbox: 'notices' })).toMatchObject({ held: 'digest', until: HOUR, key: null })
  })

  test('that never waits has no digest', () => {
    const config = { ...SLACK, digest }
    for (const into of ['deliveries', 'notices'] as const)
      expect(made({ config, outbox: into, isNeverHeld: true })).toEqual({
        held: null,
        until: null,
        key: null,
        level: 1,
        target: SLACK,
      })
  })

  test('does not wait where each change comes by itself', () => {
    expect(made({ config: HOOK })).toEqual({ held: null, until: null, key: null, level: 1, target: HOOK })
  })

  test('has the key of others with the same address, digest and quiet hours, wherever these stand', () => {
    const night = { from: '22:00', until: '07:00', time_zone: 'UTC' }
    const daily = { daily_at: '08:00', time_zone: 'UTC' } as const
    const of = (given: Parameters<typeof made>[0]) => made(given).key
    expect(of({ config: { ...SLACK, digest }, by: {} })).toBe(of({}))
    expect(of({ config: { ...SLACK, digest: { ...daily, days: ['mon', 'fri'] } } })).toBe(
      of({ config: { ...SLACK, digest: { days: ['fri', 'mon'], ...daily } } }),
    )
    const apart = [
      of({}),
      of({ config: { ...SLACK, webhookUrl: 'https://b.example/' } }),
      of({ by: { digest: { every_seconds: 60 } } }),
      of({ by: { digest: daily } }),
      of({ by: { digest: { ...daily, days: ['mon'] } } }),
      of({ by: { digest, quiet_hours: night } }),
      of({ by: { digest, quiet_hours: { ...night, until: '08:00' } } }),
    ]
    expect(new Set(apart).size).toBe(apart.length)
    expect(apart).not.toContain(null)
  })

  test('has another key than one that is sent with other options or headers', () => {
    const ntfy = { type: 'webhook', service: 'ntfy', url: 'https://a.example/' } as const
    const of = (more: object) => made({ config: { ...ntfy, options: { topic: 'a' }, ...more } }).key
    expect(of({ options: { token: 'b', topic: 'a' } })).toBe(of({ options: { topic: 'a', token: 'b' } }))
    const apart = [
      of({}),
      of({ options: { topic: 'a', token: 'b' } }),
      of({ options: { topic: 'a', token: 'c' } }),
      of({ headers: { Authorization: 'b' } }),
    ]
    expect(new Set(apart).size).toBe(apart.length)
    expect(of({ message: { text: 'a' } })).toBe(of({ message: { text: 'b' } }))
  })
})

describe('A message of a muted monitor', () => {
  const until = '1970-01-01T02:00:00.000Z'
  const of = (mute: Mute, config: DeliveryConfig = SLACK, outbox: Outbox = 'deliveries') =>
    made({ config, outbox, by: { mute: { ...NO_REASON, ...mute } } })
  interface Mute {
    readonly until: string | null
    readonly drop?: boolean
  }
  const NO_REASON = { since: '1970-01-01T00:00:00.000Z', reason: null, drop: false }

  test('waits until the mute ends, with what else waits for that', () => {
    const key = expect.stringMatching(new RegExp(`^[0-9a-f]{16}:${until.replaceAll('.', '\\.')}$`))
    expect(of({ until })).toEqual({ held: 'muted', until, key, level: 2, target: SLACK })
    expect(of({ until: null })).toMatchObject({
      held: 'muted',
      until: null,
      key: expect.stringMatching(/:open since 1970/),
    })
  })

  test('has the key of others, whatever their digest says', () => {
    expect(of({ until }, { ...SLACK, digest }).key).toBe(of({ until }).key)
  })

  test('waits by itself where each change comes by itself', () => {
    expect(of({ until }, HOOK)).toEqual({ held: 'muted', until, key: null, level: 2, target: HOOK })
  })

  test('is dropped where the mute says so, and a notice is not', () => {
    expect(of({ until, drop: true })).toMatchObject({ held: 'dropped' })
    expect(of({ until, drop: true }, SLACK, 'notices')).toMatchObject({ held: 'muted', until, key: null, level: 2 })
  })
})
