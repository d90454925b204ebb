import { examplePageChange } from '../../core/example-change.ts'
import { MonitorPatch, MonitorSpec } from '../../schema/monitor/monitor.ts'
import { MONITOR_RESOURCE } from '../../schema/resource-kind.ts'
import { checkPage } from '../check/check-configuration.ts'
import { specChange } from '../declared/spec-change.ts'
import type { SpecKind } from './spec-kind.ts'

/** Configurations of monitors of pages, APIs and feeds. */
export const PAGE_SPEC: SpecKind<MonitorSpec> = {
  resource: MONITOR_RESOURCE,
  definition: MonitorSpec,
  patch: MonitorPatch,
  check: checkPage,
  implied: () => ({}),
  undeclared: ({ template_slug }) => ({ template_slug }),
  change: specChange,
  remarks: () => [],
  example: examplePageChange,
}
