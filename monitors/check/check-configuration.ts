import type { TSchema } from 'typebox'
import type { Invalid } from '../../core/outcome.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { MonitorCreate, type MonitorSpec } from '../../schema/monitor/monitor.ts'
import { SerpMonitorCreate, type SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { monitorIssues } from './monitor-issues.ts'

/** A configuration from which a monitor can be created, with all defaults filled in. */
interface Valid<Spec> {
  readonly kind: 'valid'
  readonly spec: Spec
}

/** Checks a whole configuration: its shape, its rules, and the validity of its values. Returns every fault at once. */
export const checkConfiguration = (body: unknown, egress: EgressPolicy) =>
  check<MonitorSpec>(MonitorCreate, body, egress)

/** Does the same for a monitor of a search, whose destinations are all that its schema cannot check. */
export const checkSerpConfiguration = (body: unknown, egress: EgressPolicy) =>
  check<SerpMonitorSpec>(SerpMonitorCreate, body, egress)

function check<Spec>(schema: TSchema, body: unknown, egress: EgressPolicy): Valid<Spec> | Invalid {
  const checked = checkerOf(schema).validate(body, { defaults: true })
  const found = checked.ok ? [] : checked.issues
  const issues = [...found, ...monitorIssues(checked.ok ? checked.value : checked.rest, found, egress)]
  if (!checked.ok || issues.length > 0) return { kind: 'invalid', issues }
  // All defaults are filled in, so the body is complete.
  return { kind: 'valid', spec: checked.value as Spec }
}
