import { expect, test } from 'vitest'
import { testHelperFaults } from '../../../tools/check/test-helpers.ts'

const user = (path: string, helper: string) => ({ path, text: `import { open } from '${helper}'\n` })
const inApi = user('test/api/a.test.ts', '../store/rows.ts')
const inStore = user('test/store/queue/b.test.ts', '../rows.ts')

test('a helper that two folders use may stay in one of them', () => {
  expect(testHelperFaults([inApi, inStore, { ...inStore, path: 'test/store/queue/c.test.ts' }])).toEqual([])
})

test('a helper that a third folder uses belongs in test/support', () => {
  expect(testHelperFaults([inApi, inStore, user('bench/c.ts', '../test/store/rows.ts')])).toEqual([
    'test/store/rows.ts: bench, test/api, test/store use it: move it to test/support',
  ])
})

test('test/support imports no folder of tests', () => {
  expect(testHelperFaults([user('test/support/api/a.ts', '../../store/rows.ts')])).toEqual([
    'test/support/api/a.ts:1: test/support may not import test/store/rows.ts',
  ])
})

test('test/support may import itself and the product', () => {
  const own = user('test/support/api/a.ts', '../database/b.ts')
  expect(testHelperFaults([own, user('test/support/api/a.ts', '../../../store/c.ts')])).toEqual([])
})
