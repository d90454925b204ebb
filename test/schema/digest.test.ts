import { describe, expect, test } from 'vitest'
import { levelOf } from '../../schema/level.ts'
import { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { SERVICE_NAMES, SERVICE_TABLE } from '../../schema/monitor/delivery-services.ts'
import { MonitorCreate, MonitorSpec } from '../../schema/monitor/monitor.ts'
import { SerpMonitorCreate } from '../../schema/serp/serp-monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { SPEC } from '../support/api/monitor-spec.ts'

const DAILY = { daily_at: '08:00', time_zone: 'Europe/Berlin' } as const
const HOURLY = { every_seconds: 3600 } as const
const HOOK = { type: 'webhook', url: 'https://a.example/' } as const
const SLACK = { type: 'slack', webhookUrl: 'https://a.example/' } as const
const DISCORD = { type: 'discord', webhookUrl: 'https://a.example/' } as const
const MAIL = { type: 'email', to: 'a@example.com' } as const

const { name, url, schedule_interval_seconds, extract_config, diff_predicate } = SPEC
const PAGE = { name, url, schedule_interval_seconds, extract_config, diff_predicate }
const SEARCH = { name, keyword: 'kettle', schedule_interval_seconds, target_domain: 'example.com' }

const KINDS = [
  ['a monitor of a page', checkerOf(MonitorCreate), PAGE],
  ['a monitor of a search', checkerOf(SerpMonitorCreate), SEARCH],
] as const

describe.each(KINDS)('on %s', (_, checker, least) => {
  const faults = (digest: unknown, more: object = {}): readonly string[] => {
    const found = checker.validate({ ...least, ...more, digest })
    return found.ok ? [] : found.issues.map(({ path }) => path)
  }

  test.each([
    null,
    DAILY,
    { ...DAILY, days: ['mon', 'fri'] },
    { ...DAILY, days: ['sun', 'sat', 'fri', 'thu', 'wed', 'tue', 'mon'] },
    { daily_at: '00:00', time_zone: 'UTC' },
    { daily_at: '23:59', time_zone: 'america/new_york' },
    HOURLY,
    { every_seconds: 60 },
    { every_seconds: 604_800 },
  ])('a digest of %j is taken', (digest) => {
    expect(faults(digest)).toEqual([])
  })

  test.each([
    ['nothing', {}, ['digest']],
    ['both', { ...DAILY, ...HOURLY }, ['digest.every_seconds']],
    ['a time without a zone', { daily_at: '08:00' }, ['digest.time_zone']],
    ['seconds with a zone', { ...HOURLY, time_zone: 'UTC' }, ['digest.time_zone']],
    ['seconds with days', { ...HOURLY, days: ['mon'] }, ['digest.days']],
    ['days alone', { days: ['mon'] }, ['digest', 'digest.days']],
    ['no day', { ...DAILY, days: [] }, ['digest.days']],
    ['a day twice', { ...DAILY, days: ['mon', 'mon'] }, ['digest.days']],
    ['a whole name of a day', { ...DAILY, days: ['mon', 'friday'] }, ['digest.days[1]']],
    ['days as a text', { ...DAILY, days: 'mon' }, ['digest.days']],
    ['59 seconds', { every_seconds: 59 }, ['digest.every_seconds']],
    ['more than a week', { every_seconds: 604_801 }, ['digest.every_seconds']],
    ['a part of a second', { every_seconds: 60.5 }, ['digest.every_seconds']],
    ['an unknown key', { ...HOURLY, at: '08:00' }, ['digest.at']],
    ['a text', 'daily', ['digest']],
  ])('a digest of %s is refused', (_what, digest, paths) => {
    expect(faults(digest)).toEqual(paths)
  })

  test.each(['24:00', '8:00', '08:60', '08:00:00', '8', 'noon'])('%s is no time of a day', (daily_at) => {
    expect(faults({ ...DAILY, daily_at })).toEqual(['digest.daily_at'])
  })

  test.each(['Berlin', 'Europe/Nowhere', '+02:00', '../Europe/Berlin', ''])('"%s" is no zone', (time_zone) => {
    expect(faults({ ...DAILY, time_zone })).toEqual(['digest.time_zone'])
  })

  test('it is taken beside destinations that can have none', () => {
    const deliveries = [HOOK, { ...HOOK, service: 'custom' }, { ...HOOK, service: 'cloudevents' }, SLACK]
    expect(faults(HOURLY, { deliveries })).toEqual([])
  })

  test('it is null where it is absent', () => {
    const filled = checker.validate(least, { defaults: true })
    expect(filled).toMatchObject({ ok: true, value: { digest: null } })
  })
})

describe('on a destination', () => {
  const faults = (delivery: object): readonly string[] => {
    const found = checkerOf(DeliveryConfig).validate(delivery)
    return found.ok ? [] : found.issues.map(({ path, message }) => `${path} ${message}`)
  }
  const hookOf = (service: (typeof SERVICE_NAMES)[number]) => {
    const options = Object.entries(SERVICE_TABLE[service].options).map(([key, { example }]) => [key, example])
    return { ...HOOK, service, options: Object.fromEntries(options) }
  }
  const BY_ITSELF: readonly string[] = ['custom', 'cloudevents']
  const REFUSED =
    'digest a plain webhook and the services custom and cloudevents get each change by itself, and no digest'

  test.each([SLACK, DISCORD, MAIL])('that people read, it is taken: $type', (delivery) => {
    for (const digest of [DAILY, { ...DAILY, days: ['sun'] }, HOURLY])
      expect(faults({ ...delivery, digest })).toEqual([])
  })

  test.each(SERVICE_NAMES.filter((each) => !BY_ITSELF.includes(each)))('it is taken: %s', (service) => {
    expect(faults({ ...hookOf(service), digest: DAILY })).toEqual([])
  })

  test('that gets each change by itself, it is refused: a plain webhook, custom, cloudevents', () => {
    for (const delivery of [HOOK, hookOf('custom'), hookOf('cloudevents')]) {
      expect(faults(delivery)).toEqual([])
      for (const digest of [DAILY, HOURLY]) expect(faults({ ...delivery, digest })).toEqual([REFUSED])
    }
  })

  test('it is an object, and never null', () => {
    expect(faults({ ...SLACK, digest: null }).map((fault) => fault.split(' ', 1)[0])).toEqual(['digest'])
  })

  test('of a monitor, its faults have the path of the destination', () => {
    const deliveries = [SLACK, { ...MAIL, digest: { daily_at: '08:00' } }, { ...HOOK, digest: HOURLY }]
    for (const [, checker, least] of KINDS) {
      const found = checker.validate({ ...least, deliveries })
      expect(found.ok ? [] : found.issues.map(({ path }) => path)).toEqual([
        'deliveries[1].digest.time_zone',
        'deliveries[2].digest',
      ])
    }
  })
})

test('work with a digest has level 2, so that no process of the version before sends each change by itself', () => {
  expect(levelOf(MonitorSpec, { ...SPEC, deliveries: [SLACK] })).toBe(1)
  expect(levelOf(MonitorSpec, { ...SPEC, digest: DAILY })).toBe(2)
  expect(levelOf(MonitorSpec, { ...SPEC, deliveries: [{ ...SLACK, digest: HOURLY }] })).toBe(2)
})
