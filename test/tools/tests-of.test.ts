import { expect, test } from 'vitest'
import { testsOf } from '../../tools/tests-of/tests-of.ts'

const FILES = Object.entries({
  'core/price.ts': 'export const price = 1\n',
  'core/fall.ts': "import { price } from './price.ts'\n\nexport const fall = price\n",
  'core/named.ts': "import type { price } from './price.ts'\n\nexport type Named = typeof price\n",
  'test/core/fall.test.ts': "import { fall } from '../../core/fall.ts'\n",
  'test/core/price.test.ts': "import { price } from '../../core/price.ts'\n",
  'test/core/named.test.ts': "import type { Named } from '../../core/named.ts'\nimport '../../core/named.ts'\n",
  'test/core/price.fault.ts': "const { price } = await import('../../core/price.ts')\n",
}).map(([path, text]) => ({ path, text }))

test('the tests that reach a file are listed with the imports between them, the nearest first', () => {
  expect(testsOf('core/price.ts', FILES)).toEqual([
    { path: 'test/core/price.test.ts', distance: 1 },
    { path: 'test/core/price.fault.ts', distance: 1 },
    { path: 'test/core/fall.test.ts', distance: 2 },
  ])
})

test('an import of a type alone reaches nothing', () => {
  expect(testsOf('core/named.ts', FILES)).toEqual([{ path: 'test/core/named.test.ts', distance: 1 }])
})
