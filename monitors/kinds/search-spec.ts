import { exampleSearchChange } from '../../core/example-change.ts'
import { SERP_MONITOR_RESOURCE } from '../../schema/resource-kind.ts'
import { SerpMonitorPatch, SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { checkSearch } from '../check/check-configuration.ts'
import { thresholdRemarks } from '../check/threshold-warning.ts'
import { serpSpecChange } from '../declared/spec-change.ts'
import type { SpecKind } from './spec-kind.ts'

/** Configurations of monitors of searches. */
export const SEARCH_SPEC: SpecKind<SerpMonitorSpec> = {
  resource: SERP_MONITOR_RESOURCE,
  definition: SerpMonitorSpec,
  patch: SerpMonitorPatch,
  check: checkSearch,
  // Switching to full_analysis clears the target, unless the patch itself names one, which is refused.
  implied: ({ mode }) => (mode === 'full_analysis' ? { target_domain: null } : {}),
  undeclared: () => ({}),
  change: serpSpecChange,
  remarks: thresholdRemarks,
  example: exampleSearchChange,
}
