import type { TSchema } from 'typebox'
import type { Invalid } from '../../core/outcome.ts'
import { MonitorCreate, type MonitorSpec } from '../../schema/monitor/monitor.ts'
import { SerpMonitorCreate, type SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import type { Judging } from '../kinds/spec-kind.ts'
import { declaredIssues, MASKED, monitorIssues } from './monitor-issues.ts'

/** A configuration from which a monitor can be created, with all defaults filled in. */
interface Valid<Spec> {
  readonly kind: 'valid'
  readonly spec: Spec
}

/**
 * Checks a whole configuration of a monitor of a page: its shape, its rules, and the validity of its values. Returns
 * every fault at once. What is declared may be stored already, so what only a new configuration is refused for is found
 * when it is applied (`applyResources`), or where `isNew` asks for it, as the API does.
 */
export const checkPage = (body: unknown, judging: Judging) => check<MonitorSpec>(MonitorCreate, body, judging)

/** Does the same for a monitor of a search, whose destinations are all that its schema cannot check. */
export const checkSearch = (body: unknown, judging: Judging) => check<SerpMonitorSpec>(SerpMonitorCreate, body, judging)

function check<Spec>(schema: TSchema, body: unknown, judging: Judging): Valid<Spec> | Invalid {
  const { egress, isNew = false, mayBeMasked = false } = judging
  const issuesOf = isNew ? monitorIssues : declaredIssues
  const checked = checkerOf(schema).validate(body, { defaults: true })
  const found = checked.ok ? [] : checked.issues
  const meant = issuesOf(checked.ok ? checked.value : checked.rest, found, egress)
  const issues = [...found, ...meant.filter(({ message }) => !mayBeMasked || message !== MASKED)]
  if (!checked.ok || issues.length > 0) return { kind: 'invalid', issues }
  // All defaults are filled in, so the body is complete.
  return { kind: 'valid', spec: checked.value as Spec }
}
