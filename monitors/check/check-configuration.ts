import type { TSchema } from 'typebox'
import type { Invalid } from '../../core/outcome.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { MonitorCreate, type MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
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

/**
 * Returns everything that a manifest of a kind is refused for, with its configuration where nothing is. `isNew`: also
 * what only a new configuration is refused for, as in the API.
 */
export function checkManifest(
  declares: MonitorKind,
  body: unknown,
  { egress, isNew = false }: { readonly egress: EgressPolicy; readonly isNew?: boolean },
): Valid<MonitorSpec | SerpMonitorSpec> | Invalid {
  if (declares === 'page') return isNew ? checkConfiguration(body, egress) : checkDeclaration(body, egress)
  if (!isNew) return checkSerpDeclaration(body, egress)
  return check<SerpMonitorSpec>(SerpMonitorCreate, body, (value, found) => monitorIssues(value, found, egress))
}

type Review = (value: unknown, found: readonly Issue[]) => readonly Issue[]

function check<Spec>(schema: TSchema, body: unknown, review: Review): Valid<Spec> | Invalid {
  const checked = checkerOf(schema).validate(body, { defaults: true })
  const found = checked.ok ? [] : checked.issues
  const issues = [...found, ...review(checked.ok ? checked.value : checked.rest, found)]
  if (!checked.ok || issues.length > 0) return { kind: 'invalid', issues }
  // All defaults are filled in, so the body is complete.
  return { kind: 'valid', spec: checked.value as Spec }
}
