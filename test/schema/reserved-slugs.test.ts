import { expect, test } from 'vitest'
import { PAGE_SLUG } from '../../schema/rules/status-rules.ts'
import { RESERVED_SLUGS } from '../../schema/status/reserved-slugs.ts'
import { servedRoutes } from '../support/api/all-routes.ts'

test('no slug of a status page is the first part of one of our own addresses', () => {
  const parts = servedRoutes.map(({ path }) => path.split('/')[1] ?? '').concat('healthz', 'readyz', 'metrics')
  for (const part of parts) expect([part, PAGE_SLUG.check(part).length]).toEqual([part, 1])
  expect(RESERVED_SLUGS).toEqual(RESERVED_SLUGS.toSorted())
})
