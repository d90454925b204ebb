import { describe, expect, test } from 'vitest'
import { RULE_NAMES } from '../../schema/rules/rule-name.ts'
import { RULE_TABLE } from '../../schema/rules/rule-table.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { processorMs } from '../support/run/processor-ms.ts'

/** The table pairs each rule with its own kind of value; here its own examples are all that it is given. */
interface AnyRule {
  readonly name: string
  readonly accepts: readonly unknown[]
  readonly rejects: readonly unknown[]
  check(value: never): readonly Issue[]
}
const rules: readonly AnyRule[] = RULE_NAMES.map((name) => RULE_TABLE[name])

describe.each(rules.map((rule) => [rule.name, rule] as const))('the rule %s', (name, rule) => {
  test('stands in the table under its name, with examples of both kinds', () => {
    expect(RULE_TABLE).toHaveProperty(name, rule)
    expect(Math.min(rule.accepts.length, rule.rejects.length)).toBeGreaterThan(0)
  })

  test.each(rule.accepts.map((value) => [value]))('accepts %j', (value) => {
    expect(rule.check(value as never)).toEqual([])
  })

  test.each(rule.rejects.map((value) => [value]))('rejects %j, and says why', (value) => {
    const issues: readonly Issue[] = rule.check(value as never)
    expect(issues.length).toBeGreaterThan(0)
    for (const issue of issues)
      expect(issue).toEqual({ path: expect.any(String), message: expect.stringMatching(/\S/) })
  })
})

describe('web addresses', () => {
  const { check } = RULE_TABLE.web_address
  test.each([
    'https://example.com',
    'http://127.0.0.1:8080/',
    'https://bücher.example/',
    'https://example.com/a%20b?q=ü#x',
    'HTTPS://EXAMPLE.COM/',
    'http://[::1]/',
    'https://example.com/?mail=a@b.co',
    'https://xn--bcher-kva.example/',
  ])('%s is one', (text) => {
    expect(check.call(RULE_TABLE.web_address, text)).toEqual([])
  })

  test.each([
    'https:example.com',
    'https:///example.com',
    'https:/example.com',
    'https:\\\\example.com',
    'https://example.com\\@evil.example',
    'https://example.com/a b',
    'https://example.com/\n',
    ' https://example.com/',
    'https://exa\tmple.com/',
    'https://:80/',
    'https://?q',
    'https://#x',
    'https://user@example.com/',
    'https://example.com:99999/',
    'https://exa[mple.com/',
    'https://%00/',
    '//example.com/',
    'data:text/html,x',
    'blob:https://example.com/x',
    'https://1.2.3.4.5/',
  ])('%j is none', (text) => {
    expect(check.call(RULE_TABLE.web_address, text)).toHaveLength(1)
  })
})

test('no rule takes long over hostile text', () => {
  const cost = processorMs(() => {
    for (const text of [
      'a'.repeat(254),
      `${'a'.repeat(64)}@${'a.'.repeat(94)}`,
      `a@${'a-'.repeat(120)}`,
      `a@${'a'.repeat(250)}`,
    ])
      RULE_TABLE.email_address.check(text)
    RULE_TABLE.web_address.check(`https://${'a'.repeat(1_000_000)}`)
    RULE_TABLE.field_names.check({ ['a'.repeat(1_000_000)]: 'x' })
    RULE_TABLE.header_names.check({ ['a'.repeat(1_000_000)]: 'x' })
    RULE_TABLE.header_case.check(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x-${index}`, 'a'])))
  })
  expect(cost).toBeLessThan(500)
})
