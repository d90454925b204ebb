import { describe, expect, test } from 'vitest'
import { toResourceNames } from '../../core/custom-resource/names.ts'
import { armCases, boundCases } from '../../test/crds/cases.ts'
import { MONITOR, SERP_MONITOR } from '../../test/crds/definition.ts'
import { monitorWith } from '../../test/crds/sample.ts'
import { provider } from './program.ts'

describe.each([
  ['Monitor', MONITOR],
  ['SerpMonitor', SERP_MONITOR],
] as const)('What a preview says of a %s', (kind, definition) => {
  const failuresOf = (props: Record<string, unknown>) => provider.check(kind, {}, props).failures ?? []
  const cases = [...armCases(definition), ...boundCases(definition)].map(({ place, value, ...rest }) => ({
    ...rest,
    value,
    // A name of a key that nobody knows is not a name that is converted.
    props: toResourceNames(definition, monitorWith(place, value, definition)) as Record<string, unknown>,
  }))

  // In a program null is no value: a property is left out.
  test.each(cases.filter(({ valid, value }) => valid && value !== null))('lets $title pass', ({ props }) => {
    expect(failuresOf(props)).toEqual([])
  })

  test.each(cases.filter(({ valid }) => !valid))('refuses $title, and names the property', ({ props }) => {
    const failures = failuresOf(props)
    expect(failures.length).toBeGreaterThan(0)
    for (const { property, reason } of failures) expect(reason.startsWith(property)).toBe(true)
  })
})

test('A preview lets pass what is not known before another resource exists', () => {
  const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'
  const props = {
    name: unknown,
    keyword: 'a',
    scheduleIntervalSeconds: unknown,
    deliveries: [{ type: 'email', to: unknown }],
  }
  expect(provider.check('SerpMonitor', {}, props).failures).toEqual([])
})
