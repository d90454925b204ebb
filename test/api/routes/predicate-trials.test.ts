import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPatternMatcher, type PatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { PredicateTrial, TRIAL_BYTES } from '../../../schema/monitor/predicate-trial.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
let patterns: PatternMatcher
let owner: CreatedOwner
beforeAll(async () => {
  patterns = createPatternMatcher({ timeoutMs: 200 })
  api = await createTestApi({ patterns })
  owner = await api.owner()
})
afterAll(async () => {
  await api.close()
  await patterns.close()
})

const post = (body: unknown, credential: string | null = owner.api_key) =>
  api.call(credential, 'POST', '/v1/predicates/try', body)
async function tried(diff_predicate: object, before: object | null, after: object) {
  const { status, body } = await post({ diff_predicate, before, after })
  expect([status, checkerOf(PredicateTrial).validate(body)]).toMatchObject([200, { ok: true }])
  return body
}
const refused = async (body: unknown) => {
  const { status, body: answer } = await post(body)
  return [status, answer.error.details.map(({ path, message }) => `${path} ${message}`)]
}
const either = (...conditions: object[]) => ({ type: 'composite', operator: 'OR', conditions })
const both = (...conditions: object[]) => ({ type: 'composite', operator: 'AND', conditions })
const CHANGES = { type: 'any_field_changes' }

describe('a trial of a predicate', () => {
  test('tells whether it fires, and why', async () => {
    const falls = { type: 'field_decreases_by_percent', field: 'price', threshold: 10 }
    const why = 'price fell from 100 to 80; a fall by 10 percent or more was asked for'
    expect(await tried(falls, { price: '$100' }, { price: '$80' })).toEqual({
      fires: true,
      why,
      diff: { fields_changed: ['price'], before: { price: '$100' }, after: { price: '$80' } },
      conditions: [{ path: '', type: 'field_decreases_by_percent', field: 'price', holds: true, why }],
      warnings: [],
    })
    expect(await tried(falls, { price: '$100' }, { price: 'Sold out' })).toMatchObject({
      fires: false,
      why: 'price is "Sold out", which is not a number; a fall by 10 percent or more was asked for',
    })
  })

  test('has a reason for each group and each condition of it, also for those that decide nothing', async () => {
    const predicate = either(
      { type: 'field_changes', field: 'stock' },
      both({ type: 'field_matches_regex', field: 'title', pattern: 'sale' }, { type: 'list_gains_items', field: 'l' }),
    )
    const before = { stock: 1, title: 'Lamp', l: ['a'] }
    const { conditions, fires } = await tried(predicate, before, { stock: 2, title: 'Lamp, sale', l: ['a'] })
    expect(fires).toBe(true)
    expect(conditions).toEqual([
      { path: '', type: 'composite', field: null, holds: true, why: '1 of 2 conditions holds; one was asked for' },
      { path: 'conditions[0]', type: 'field_changes', field: 'stock', holds: true, why: 'stock changed' },
      {
        path: 'conditions[1]',
        type: 'composite',
        field: null,
        holds: false,
        why: '1 of 2 conditions holds; all were asked for',
      },
      {
        path: 'conditions[1].conditions[0]',
        type: 'field_matches_regex',
        field: 'title',
        holds: true,
        why: 'title is "Lamp, sale"; a match of /sale/ was asked for',
      },
      {
        path: 'conditions[1].conditions[1]',
        type: 'list_gains_items',
        field: 'l',
        holds: false,
        why: 'l gained no item',
      },
    ])
  })

  test('tries a pattern on each line that was added, and not on those that were there', async () => {
    const of = (pattern: string) => ({ type: 'lines_added', field: 'terms', pattern })
    const [before, after] = [{ terms: 'Fee: $1\nNo returns' }, { terms: 'Fee: $1\nFee: $2 a day\nNo returns\nNo pets' }]
    expect(await tried(of('^Fee.*day$'), before, after)).toMatchObject({
      fires: true,
      why: 'terms gained 2 lines; one that matches /^Fee.*day$/ was asked for',
    })
    expect(await tried(of('returns'), before, after)).toMatchObject({ fires: false })
    // On the whole text it does match.
    expect(await tried(of('day\\sNo'), before, after)).toMatchObject({ fires: false })
    const slow = await tried(either(of('^(a+)+$')), before, { terms: `x\n${'a'.repeat(40)}!` })
    expect(slow).toMatchObject({ fires: null, conditions: [{ holds: null }, { holds: null }] })
  })

  test('never fires without a reading before, or without a difference', async () => {
    expect(await tried(CHANGES, null, { a: 1 })).toMatchObject({
      fires: false,
      diff: {},
      why: 'there is nothing before it: the first run is a baseline, and never fires',
    })
    expect(await tried(both(CHANGES), { a: 'x  y' }, { a: 'x y' })).toMatchObject({
      fires: false,
      why: 'nothing differs',
      conditions: [
        { holds: false, why: 'nothing differs' },
        { holds: false, why: 'nothing differs' },
      ],
    })
  })

  test('a pattern that takes too long leaves it open, unless the rest decides', async () => {
    const slow = { type: 'field_matches_regex', field: 'a', pattern: '^(a+)+$' }
    const after = { a: `${'a'.repeat(40)}!` }
    expect(await tried(either(slow), { a: 'x' }, after)).toMatchObject({
      fires: null,
      why: expect.stringContaining('took too long') as string,
      conditions: [
        { holds: null, why: 'the only condition does not hold, and of 1 it is not known; one was asked for' },
        { holds: null },
      ],
    })
    expect(await tried(either(slow, CHANGES), { a: 'x' }, after)).toMatchObject({
      fires: true,
      conditions: [{ holds: true }, { holds: null }, { holds: true }],
    })
  })

  test('needs no more than the right to read, and an account', async () => {
    const body = { diff_predicate: CHANGES, before: {}, after: { a: 1 } }
    expect((await post(body, await api.key(owner, 'read'))).status).toBe(200)
    expect((await post(body, await api.member(owner, 'viewer'))).status).toBe(200)
    expect((await post(body, null)).status).toBe(401)
  })
})

describe('a trial that is refused', () => {
  test('names what is wrong as a save does, with its path', async () => {
    const predicate = both({ type: 'field_matches_regex', field: 'a', pattern: '(' }, { type: 'field_above' })
    expect(await refused({ diff_predicate: predicate, before: {}, after: {} })).toEqual([
      422,
      expect.arrayContaining([
        expect.stringMatching(/^diff_predicate\.conditions\[0\]\.pattern is not a JavaScript pattern/),
        expect.stringMatching(/^diff_predicate\.conditions\[1\]\.field/),
      ]),
    ])
    const extract_config = { method: 'css', fields: { price: '.price' } }
    const of = { diff_predicate: { type: 'field_changes', field: 'stock' }, before: null, after: {} }
    expect(await refused({ ...of, extract_config })).toEqual([
      422,
      ['diff_predicate.field is not among the fields that are extracted: "price"'],
    ])
    expect((await post(of)).status).toBe(200)
    expect((await refused({ ...of, extract_config: { method: 'css', fields: { stock: '[[' } } }))[1]).toMatchObject([
      expect.stringMatching(/^extract_config\.fields\.stock /),
    ])
  })

  test('has more conditions, fields or bytes than a trial takes', async () => {
    const full = both(...Array.from({ length: 25 }, () => CHANGES))
    const many = both(...Array.from({ length: 9 }, () => full))
    expect(await refused({ diff_predicate: many, before: {}, after: {} })).toEqual([
      422,
      ['diff_predicate has 225 conditions; a trial tries at most 200'],
    ])
    const after = { a: 'x'.repeat(TRIAL_BYTES) }
    expect(await refused({ diff_predicate: CHANGES, before: null, after })).toEqual([
      422,
      [`after has ${TRIAL_BYTES + 8} bytes of JSON; a trial takes at most ${TRIAL_BYTES}`],
    ])
    const wide = Object.fromEntries(Array.from({ length: 201 }, (_, nth) => [`f${nth}`, 1]))
    expect(await refused({ diff_predicate: CHANGES, before: wide, after: {} })).toMatchObject([422, [/^before /]])
  })
})
