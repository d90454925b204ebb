import { describe, expect, test } from 'vitest'
import { PLANS, TIERS } from '../../schema/account/plan.ts'
import { atLeast, ROLES } from '../../schema/account/role.ts'
import { destinationOf } from '../../schema/monitor/delivery-config.ts'
import { fieldNames } from '../../schema/monitor/extract-config.ts'
import { paginate } from '../../schema/page-of.ts'
import { DELIVERY_DELAYS_SECONDS } from '../../schema/run/delivery.ts'
import { joinPath } from '../../schema/validation/issue.ts'

describe('paths of faults', () => {
  test.each([
    [['deliveries', 0, 'url'], 'deliveries[0].url'],
    [['', 'name'], 'name'],
    [['', 'x-a'], 'x-a'],
    [['', ''], '[""]'],
    [['request_headers', 'x-a'], 'request_headers["x-a"]'],
    [['fields', 'a.b'], 'fields["a.b"]'],
    [['fields', 'a"b'], 'fields["a\\"b"]'],
    [['a', ''], 'a[""]'],
    [['a.b[0]', 'c', 1], 'a.b[0].c[1]'],
    [['', 0], '[0]'],
    [[''], ''],
  ] as const)('%j is %s', ([path, ...parts], joined) => {
    expect(joinPath(path, ...parts)).toBe(joined)
  })
})

describe('the names that predicates may refer to', () => {
  test.each([
    [{ method: 'css', fields: { b: '.b', a: '.a' } }, ['b', 'a']],
    [{ method: 'full_page' }, ['content_hash']],
    [{ method: 'prompt', prompt: 'what is it?' }, ['result']],
    [{ method: 'prompt', prompt: 'what is it?', schema: { price: 'number', stock: 'text' } }, ['price', 'stock']],
    [{ method: 'prompt', prompt: 'what is it?', schema: { type: 'object', properties: { price: {} } } }, ['price']],
    [{ method: 'prompt', prompt: 'what is it?', schema: { properties: null } }, ['properties']],
  ] as const)('of %j are %j', (config, names) => {
    expect(fieldNames(config)).toEqual(names)
  })
})

test('a destination is where the message goes', () => {
  expect(destinationOf({ type: 'webhook', url: 'https://a.example/' })).toBe('https://a.example/')
  expect(destinationOf({ type: 'slack', webhookUrl: 'https://b.example/' })).toBe('https://b.example/')
  expect(destinationOf({ type: 'discord', webhookUrl: 'https://c.example/' })).toBe('https://c.example/')
  expect(destinationOf({ type: 'email', to: 'a@example.com' })).toBe('a@example.com')
})

test.each([
  [1, 20, 0, 0, false],
  [1, 20, 20, 1, false],
  [1, 20, 21, 2, true],
  [2, 20, 21, 2, false],
  [9, 20, 21, 2, false],
])('page %i of %i a page of %i rows: %i pages, more: %j', (...[page, limit, total, totalPages, hasMore]) => {
  expect(paginate(page, limit, total)).toEqual({ page, limit, total, totalPages, hasMore })
})

test('each role can do what the roles before it can', () => {
  const able = ROLES.map((role) => ROLES.filter((needed) => atLeast(role, needed)).length)
  expect(able).toEqual([1, 2, 3, 4])
})

test('attempts are made at once, then after 5, 15, 30, 60 and 120 minutes', () => {
  expect(DELIVERY_DELAYS_SECONDS.map((seconds) => seconds / 60)).toEqual([0, 5, 15, 30, 60, 120])
})

test('the plans are those of the contract, and one without limits', () => {
  const contracted = TIERS.filter((tier) => tier !== 'unlimited')
  const column = (key: keyof (typeof PLANS)['free']) => contracted.map((tier) => PLANS[tier][key])
  expect(contracted).toEqual(['free', 'lite', 'starter', 'pro', 'scale'])
  expect(PLANS.unlimited).toEqual({
    ...Object.fromEntries(Object.keys(PLANS.free).map((name) => [name, null])),
    retentionDays: 730,
    maxDeliveriesPerMonitor: 25,
  })
  expect(column('runsPerMonth')).toEqual([200, 1000, 5000, 15_000, 100_000])
  expect(column('visualRunsPerMonth')).toEqual([100, null, null, null, null])
  expect(column('serpRunsPerMonth')).toEqual([100, null, null, null, null])
  expect(column('retentionDays')).toEqual([14, 90, 180, 365, 730])
  expect(column('maxDeliveriesPerMonitor')).toEqual([1, 2, 3, 10, 25])
  expect(column('llmCallsPerMonth')).toEqual([50, 250, 500, 5000, 25_000])
  expect(column('proxyBytesPerMonth')).toEqual([0, 0, 52_428_800, 524_288_000, 5_368_709_120])
  expect(column('maxTeamMembers')).toEqual([2, 2, 3, 10, 25])
  expect(column('configurationBytes')).toEqual(Array(5).fill(409_600_000))
  expect(PLANS.unlimited.configurationBytes).toBeNull()
  expect(column('screenshotBytesPerMonth')).toEqual([209_715_200, null, null, null, null])
})
