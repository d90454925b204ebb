import { expect, test } from 'vitest'
import { typeOf } from '../../tools/generate/dashboard/type-of.ts'

const NOTHING = { schemas: {}, types: new Set<string>(), choices: {} }

test.each([
  ['css', "'css'"],
  [true, 'true'],
  [false, 'false'],
  [3, '3'],
  [null, 'null'],
])('the type of a value that is always %j is %s', (value, type) => {
  expect(typeOf({ const: value }, NOTHING)).toBe(type)
})
