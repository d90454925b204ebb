import { expect, test } from 'vitest'
import { serpAccess } from '../../../core/plan/serp-access.ts'
import { TIERS } from '../../../schema/account/plan.ts'

test('SERP monitors are part of the trial, else of the variant with SERP', () => {
  expect(TIERS.map((tier) => serpAccess(tier, false))).toEqual(['trial', 'none', 'none', 'none', 'none', 'included'])
  expect(TIERS.map((tier) => serpAccess(tier, true))).toEqual([
    'trial',
    'included',
    'included',
    'included',
    'included',
    'included',
  ])
})
