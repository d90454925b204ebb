import type { TSchema } from 'typebox'
import type { Invalid } from '../../core/outcome.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { MonitorCreate, type MonitorSpec } from '../../schema/monitor/monitor.ts'
import { SerpMonitorCreate, type SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { declaredIssues, monitorIssues } from './monitor-issues.ts'

/** A configuration from which a monitor can be created, with all defaults filled in. */
interface Valid<Spec> {
  readonly kind: 'valid'
  readonly spec: Spec
}

/** Checks a whole configuration: its shape, its rules, and the validity of its values. Returns every fault at once. */
export const checkConfiguration = (body: unknown, egress: EgressPolicy) =>
  check<MonitorSpec>(MonitorCreate, body, (value, found) => monitorIssues(value, found, egress))

/**
 * Does the same for what a manifest declares. It may be stored already, so what only a new configuration is refused for
 * is found when it is applied (`applyResources`).
 */
export const checkDeclaration = (body: unknown, egress: EgressPolicy) =>
  check<MonitorSpec>(MonitorCreate, body, (value, found) => declaredIssues(value, found, egress))

/** Does the same for a monitor of a search, whose destinations are all that its schema cannot check. */
export const checkSerpDeclaration = (body: unknown, egress: EgressPolicy) =>
  check<SerpMonitorSpec>(SerpMonitorCreate, body, (value, found) => declaredIssues(value, found, egress))

type Review = (value: unknown, found: readonly Issue[]) => readonly Issue[]

function check<Spec>(schema: TSchema, body: unknown, review: Review): Valid<Spec> | Invalid {
  const checked = checkerOf(schema).validate(body, { defaults: true })
  const found = checked.ok ? [] : checked.issues
  const issues = [...found, ...review(checked.ok ? checked.value : checked.rest, found)]
  if (!checked.ok || issues.length > 0) return { kind: 'invalid', issues }
  // All defaults are filled in, so the body is complete.
  return { kind: 'valid', spec: checked.value as Spec }
}
