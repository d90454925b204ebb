import { describe, expect, test } from 'vitest'
import { limitsOf, serpAccess } from '../../core/plan.ts'
import { PLANS, TIERS } from '../../schema/account/plan.ts'

describe('the limits of a plan', () => {
  test.each(TIERS)('%s has its own limits where the installation says nothing', (tier) => {
    expect(limitsOf(tier)).toEqual(PLANS[tier])
    expect(limitsOf(tier, {})).toEqual(PLANS[tier])
  })

  test('an installation sets one limit of one plan and leaves the others', () => {
    const overrides = { lite: { runsPerMonth: 5, llmCallsPerMonth: null } }
    expect(limitsOf('lite', overrides)).toEqual({ ...PLANS.lite, runsPerMonth: 5, llmCallsPerMonth: null })
    expect(limitsOf('pro', overrides)).toEqual(PLANS.pro)
    expect(PLANS.lite.runsPerMonth).toBe(1000)
  })

  test('SERP monitors are part of the trial, else of the variant with SERP', () => {
    expect(TIERS.map((tier) => serpAccess(tier, false))).toEqual(['trial', 'none', 'none', 'none', 'none'])
    expect(TIERS.map((tier) => serpAccess(tier, true))).toEqual([
      'trial',
      'included',
      'included',
      'included',
      'included',
    ])
  })
})
