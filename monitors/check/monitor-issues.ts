import { shapeOf } from '../../core/prompt-shape/shape-of.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { checkTargetUrl } from '../../egress/target-url.ts'
import { checkCss } from '../../runners/extract/css/rules-css.ts'
import type { RuleFault } from '../../runners/extract/rule-fault.ts'
import { checkRules } from '../../runners/extract/rules.ts'
import { checkRegex } from '../../runners/extract/text/rules-regex.ts'
import { type DeliveryConfig, destinationOf } from '../../schema/monitor/delivery-config.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { type ExtractConfig, waitForOf } from '../../schema/monitor/extract-config.ts'
import { MASK } from '../../schema/monitor/mask.ts'
import type { MonitorPatch } from '../../schema/monitor/monitor.ts'
import type { Treatment } from '../../schema/monitor/treatment.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import { DIRECT_OR_VISUAL, PREDICATE_FIELDS } from '../../schema/rules/monitor-rules.ts'
import { type Issue, joinPath } from '../../schema/validation/issue.ts'
import { pagingIssues } from './paging-issues.ts'
import { unsentHeaderIssues } from './unsent-headers.ts'

/**
 * Returns the issues of a configuration that its schema cannot find: selectors, expressions and patterns that do not
 * compile, and addresses that are not allowed. A part with `known` issues is skipped. The other parts are checked all
 * the same, each item of a list and each field by itself, so that one response names every fault.
 */
export function monitorIssues(body: unknown, known: readonly Issue[], egress: EgressPolicy): Issue[] {
  const isSound = soundness(known)
  const { deliveries } = partsOf(body) as MonitorPatch
  // A header of another name may be what is not sound in its delivery.
  const unsent = unsentHeaderIssues(listOf(deliveries).map((delivery) => partsOf(delivery) as DeliveryConfig))
  return [...declaredIssues(body, known, egress), ...unsent.filter(({ path }) => isSound(path))]
}

/** Returns the same for a declaration of a monitor, which may be stored already: it may have headers never sent. */
export function declaredIssues(body: unknown, known: readonly Issue[], egress: EgressPolicy): Issue[] {
  const isSound = soundness(known)
  // A sound part has the shape that the schema describes, and a part that is not sound is not looked into.
  const config = partsOf(body) as MonitorPatch
  const sound = Object.fromEntries(Object.entries(config).filter(([key]) => isSound(key)))
  return [...(known.length > 0 ? pairIssues(sound) : []), ...meaningIssues(config, isSound, egress)]
}

/** Returns whether neither the value at a path, nor a value within it or around it, has an issue. */
type IsSound = (path: string) => boolean

function soundness(known: readonly Issue[]): IsSound {
  if (known.length === 0) return () => true
  const own = new Set(known.map(({ path }) => path))
  if (own.has('')) return () => false
  const touched = new Set(known.flatMap(({ path }) => [path, ...around(path)]))
  return (path) => !touched.has(path) && !around(path).some((outer) => own.has(outer))
}

/** Returns the paths of the values around the one at a path. The root is not one of them. */
const around = (path: string): string[] =>
  [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).filter((outer) => outer !== '')

const partsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Returns the issues of the rules over two keys, if both keys are present and sound. */
function pairIssues({ extract_config, diff_predicate, request_config, visual_config }: MonitorPatch): readonly Issue[] {
  return [
    ...(extract_config && diff_predicate ? PREDICATE_FIELDS.check({ extract_config, diff_predicate }) : []),
    ...(request_config && visual_config ? DIRECT_OR_VISUAL.check({ request_config, visual_config }) : []),
  ]
}

function meaningIssues(config: MonitorPatch, isSound: IsSound, egress: EgressPolicy): Issue[] {
  const { url, extract_config, diff_predicate, deliveries, request_config, visual_config } = config
  return [
    ...(url !== undefined && isSound('url') ? found(checkTargetUrl(url, egress, 'url')) : []),
    ...extractIssues(extract_config, isSound),
    ...waitForIssues(extract_config, isSound),
    ...patternIssues(diff_predicate, 'diff_predicate', isSound),
    ...listOf(deliveries).flatMap((delivery, index) =>
      addressIssues(delivery, { path: joinPath('deliveries', index), isSound }, egress),
    ),
    ...maskIssues(config, isSound),
    ...(request_config && isSound('request_config.pagination') ? pagingIssues(request_config) : []),
    ...selectorIssues(visual_config, isSound),
  ]
}

/** A list that is sound itself may have items that are not, and then it may be no list at all. */
const listOf = <T>(value: readonly T[] | undefined): readonly T[] => (Array.isArray(value) ? (value as T[]) : [])

function extractIssues(config: ExtractConfig | undefined, isSound: IsSound): Issue[] {
  const path = 'extract_config'
  if (!config || !isSound(joinPath(path, 'method'))) return []
  const besides = [...('ignore' in config ? ignoreIssues(config, isSound) : []), ...cleanIssues(config, isSound)]
  if (config.method === 'prompt')
    return [...(isSound(joinPath(path, 'schema')) ? schemaIssues(config) : []), ...besides]
  if (config.method === 'full_page') return besides
  const named = Object.entries(partsOf(config.fields)).filter(([name]) => isSound(joinPath(path, 'fields', name)))
  const fields = Object.fromEntries(named) as typeof config.fields
  return [...checkRules({ method: config.method, fields }).map((issue) => under(path, issue)), ...besides]
}

function cleanIssues({ clean }: Pick<ExtractConfig, 'clean'>, isSound: IsSound): Issue[] {
  return Object.entries(partsOf(clean)).flatMap(([name, treatments]) =>
    listOf(treatments as readonly Treatment[]).flatMap((treatment, index) => {
      const path = `${joinPath('extract_config', 'clean', name, index)}.pattern`
      const { pattern } = partsOf(treatment)
      return typeof pattern === 'string' && isSound(path)
        ? ruleIssue(path, 'a JavaScript pattern', checkRegex(pattern))
        : []
    }),
  )
}

type Ignoring = Pick<Extract<ExtractConfig, { method: 'full_page' }>, 'ignore'>

function ignoreIssues({ ignore }: Ignoring, isSound: IsSound): Issue[] {
  return (['selectors', 'patterns'] as const).flatMap((kind) =>
    listOf(ignore?.[kind]).flatMap((source, index) => {
      const path = `extract_config.ignore.${kind}[${index}]`
      if (!isSound(path)) return []
      return checkRules({ method: 'full_page', ignore: { [kind]: [source] } }).map(({ message }) => ({ path, message }))
    }),
  )
}

function waitForIssues(config: ExtractConfig | undefined, isSound: IsSound): Issue[] {
  const path = 'extract_config.wait_for'
  const selector = config && isSound(path) ? waitForOf(config) : null
  return typeof selector === 'string' ? ruleIssue(path, 'a CSS selector', checkCss(selector)) : []
}

function schemaIssues(config: Extract<ExtractConfig, { method: 'prompt' }>): Issue[] {
  if (!config.schema) return []
  const shape = shapeOf(config.schema)
  return shape.ok ? [] : [under('extract_config.schema', shape.issue)]
}

const found = (issue: Issue | null): Issue[] => (issue === null ? [] : [issue])
const under = (prefix: string, { path, message }: Issue): Issue => ({
  path: path === '' || path.startsWith('[') ? prefix + path : `${prefix}.${path}`,
  message,
})

function patternIssues(predicate: DiffPredicate | undefined, path: string, isSound: IsSound): Issue[] {
  if (!predicate || !isSound(joinPath(path, 'type'))) return []
  if (predicate.type === 'composite')
    return listOf(predicate.conditions).flatMap((condition, index) =>
      patternIssues(condition, `${path}.conditions[${index}]`, isSound),
    )
  if (!('pattern' in predicate) || predicate.pattern === undefined || !isSound(joinPath(path, 'pattern'))) return []
  return ruleIssue(`${path}.pattern`, 'a JavaScript pattern', checkRegex(predicate.pattern))
}

interface At {
  readonly path: string
  readonly isSound: IsSound
}

function addressIssues(delivery: DeliveryConfig, { path, isSound }: At, egress: EgressPolicy): Issue[] {
  if (!isSound(joinPath(path, 'type')) || delivery.type === 'email') return []
  const at = joinPath(path, delivery.type === 'webhook' ? 'url' : 'webhookUrl')
  return isSound(at) ? found(checkTargetUrl(destinationOf(delivery), egress, at)) : []
}

/** Secrets that were copied from an answer in which they are masked: storing them would replace the real ones. */
function maskIssues({ request_headers, deliveries }: MonitorPatch, isSound: IsSound): Issue[] {
  const texts: [path: string, text: unknown][] = [
    ...textsOf('request_headers', request_headers),
    ...listOf(deliveries).flatMap((delivery, index) => {
      const { url, webhookUrl, headers, options, body } = partsOf(delivery)
      const at = `deliveries[${index}]`
      return [
        [`${at}.url`, url],
        [`${at}.webhookUrl`, webhookUrl],
        [`${at}.body`, body],
        ...textsOf(`${at}.headers`, headers),
        ...textsOf(`${at}.options`, options),
      ] as typeof texts
    }),
  ]
  return texts
    .filter(([path, text]) => typeof text === 'string' && text.includes(MASK) && isSound(path))
    .map(([path]) => ({ path, message: MASKED }))
}

const textsOf = (path: string, map: unknown) =>
  Object.entries(partsOf(map)).map(([key, value]): [string, unknown] => [joinPath(path, key), value])

/** The message of the issue of a secret that is masked. */
export const MASKED = `holds ${MASK}, which stands for a secret that was not shown: send the secret itself`

function selectorIssues(config: VisualConfig | null | undefined, isSound: IsSound): Issue[] {
  const { regions, ignoreSelectors } = partsOf(config) as Partial<VisualConfig>
  const named = [
    ...listOf(regions).map((region, index) => [
      `visual_config.regions[${index}].selector`,
      partsOf(region)['selector'],
    ]),
    ...listOf(ignoreSelectors).map((selector, index) => [`visual_config.ignoreSelectors[${index}]`, selector]),
  ] as const
  return named.flatMap(([path, selector]) =>
    typeof path === 'string' && typeof selector === 'string' && isSound(path)
      ? ruleIssue(path, 'a CSS selector', checkCss(selector))
      : [],
  )
}

function ruleIssue(path: string, what: string, fault: RuleFault | null): Issue[] {
  if (fault === null) return []
  const at = fault.column === null ? '' : `column ${fault.column}: `
  return [{ path, message: `is not ${what} that can run: ${at}${fault.message}` }]
}
