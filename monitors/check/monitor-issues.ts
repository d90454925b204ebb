import type { TSchema } from 'typebox'
import { type DeliveryConfig, destinationOf } from '../../schema/monitor/delivery-config.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { type Issue, joinPath } from '../../schema/validation/issue.ts'
import { type MonitorPatch, MonitorSpec } from '../../schema/monitor/monitor.ts'
import { DIRECT_OR_VISUAL, PREDICATE_FIELDS } from '../../schema/rules/monitor-rules.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import { checkRules } from '../../runners/extract/rules.ts'
import { checkCss } from '../../runners/extract/css/rules-css.ts'
import { checkRegex } from '../../runners/extract/text/rules-regex.ts'
import type { RuleFault } from '../../runners/extract/rule-fault.ts'
import { shapeOf } from '../../core/prompt-shape/shape-of.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { checkTargetUrl } from '../../egress/target-url.ts'
import { pagingIssues } from './paging-issues.ts'
import type { Queryable } from '../../store/db/client.ts'
import { findDeliveryCap } from '../../store/quota/plan-limits.ts'
import type { OverCap } from '../outcome.ts'

/**
 * Returns the issues of a configuration that its schema cannot find: selectors, expressions and patterns that do not
 * compile, and addresses that are not allowed. Keys with `known` issues are skipped. The rules inside the other keys
 * are checked too. Otherwise they would be checked only when the whole body is valid, and one response could not name
 * every fault.
 */
export function monitorIssues(body: unknown, known: readonly Issue[], egress: EgressPolicy): Issue[] {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return []
  if (known.length === 0) return meaningIssues(body, egress)
  const sound: Record<string, unknown> = {}
  const issues: Issue[] = []
  for (const [key, value] of Object.entries(body)) {
    const checker = CHECKERS.get(key)
    if (!checker || known.some(({ path }) => topKey(path) === key)) continue
    const checked = checker.validate(value)
    if (checked.ok) sound[key] = value
    else issues.push(...checked.issues.map((issue) => under(key, issue)))
  }
  // An issue of the whole body comes from one of these rules, so they were checked already.
  const pairs = known.some(({ path }) => path === '') ? [] : pairIssues(sound)
  return [...issues, ...pairs, ...meaningIssues(sound, egress)]
}

/** Returns the issues of rules over two keys, if both keys are present and valid. */
function pairIssues({ extract_config, diff_predicate, request_config, visual_config }: MonitorPatch): readonly Issue[] {
  return [
    ...(extract_config && diff_predicate ? PREDICATE_FIELDS.check({ extract_config, diff_predicate }) : []),
    ...(request_config && visual_config ? DIRECT_OR_VISUAL.check({ request_config, visual_config }) : []),
  ]
}

const CHECKERS = new Map(
  Object.entries(MonitorSpec.properties).map(([key, schema]) => [key, checkerOf<TSchema>(schema)]),
)
const topKey = (path: string) => /^[^.[]*/.exec(path)?.[0]

function meaningIssues(config: MonitorPatch, egress: EgressPolicy): Issue[] {
  const { url, extract_config, diff_predicate, deliveries, request_config, visual_config } = config
  return [
    ...(url === undefined ? [] : found(checkTargetUrl(url, egress, 'url'))),
    ...(extract_config ? checkRules(extract_config).map((issue) => under('extract_config', issue)) : []),
    ...(extract_config ? schemaIssues(extract_config) : []),
    ...(diff_predicate ? patternIssues(diff_predicate, 'diff_predicate') : []),
    ...(deliveries ?? []).flatMap((delivery, index) => deliveryIssues(delivery, joinPath('deliveries', index), egress)),
    ...(request_config ? pagingIssues(request_config) : []),
    ...(visual_config ? selectorIssues(visual_config) : []),
  ]
}

function schemaIssues(config: ExtractConfig): Issue[] {
  if (config.method !== 'prompt' || !config.schema) return []
  const shape = shapeOf(config.schema)
  return shape.ok ? [] : [under('extract_config.schema', shape.issue)]
}

const found = (issue: Issue | null): Issue[] => (issue === null ? [] : [issue])
const under = (prefix: string, { path, message }: Issue): Issue => ({
  path: path === '' || path.startsWith('[') ? prefix + path : `${prefix}.${path}`,
  message,
})

function patternIssues(predicate: DiffPredicate, path: string): Issue[] {
  if (predicate.type === 'composite')
    return predicate.conditions.flatMap((condition, index) => patternIssues(condition, `${path}.conditions[${index}]`))
  if (predicate.type !== 'field_matches_regex') return []
  return ruleIssue(`${path}.pattern`, 'a JavaScript pattern', checkRegex(predicate.pattern))
}

function deliveryIssues(delivery: DeliveryConfig, path: string, egress: EgressPolicy): Issue[] {
  if (delivery.type === 'email') return []
  return found(
    checkTargetUrl(destinationOf(delivery), egress, joinPath(path, delivery.type === 'webhook' ? 'url' : 'webhookUrl')),
  )
}

function selectorIssues({ regions = [], ignoreSelectors = [] }: VisualConfig): Issue[] {
  return [
    ...regions.flatMap(({ selector }, index) =>
      selector === undefined ? [] : cssIssue(`visual_config.regions[${index}].selector`, selector),
    ),
    ...ignoreSelectors.flatMap((selector, index) => cssIssue(`visual_config.ignoreSelectors[${index}]`, selector)),
  ]
}

const cssIssue = (path: string, selector: string) => ruleIssue(path, 'a CSS selector', checkCss(selector))

function ruleIssue(path: string, what: string, fault: RuleFault | null): Issue[] {
  if (fault === null) return []
  const at = fault.column === null ? '' : `column ${fault.column}: `
  return [{ path, message: `is not ${what} that can run: ${at}${fault.message}` }]
}

/** Returns the refusal of a monitor with more deliveries than the team's plan allows, or null. */
export async function overDeliveryCap(
  store: Queryable,
  teamId: string,
  { deliveries }: Pick<MonitorSpec, 'deliveries'>,
): Promise<OverCap | null> {
  const wanted = deliveries.length
  if (wanted === 0) return null
  const { tier, deliveries: cap } = await findDeliveryCap(store, teamId)
  return wanted <= cap ? null : { kind: 'over_cap', tier, cap, wanted }
}
