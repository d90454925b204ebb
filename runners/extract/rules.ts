import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { Clean } from '../../schema/monitor/treatment.ts'
import { listExpression } from '../../schema/monitor/value-limits.ts'
import { joinPath } from '../../schema/validation/issue.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { checkCssRule } from './css/check-css-rule.ts'
import { checkCss } from './css/rules-css.ts'
import { checkJsonPath } from './json/rules-json-path.ts'
import { EXTRACT_LIMITS } from './limits.ts'
import type { RuleFault } from './rule-fault.ts'
import { checkRegex } from './text/rules-regex.ts'
import { compileXPath } from './xpath/compile.ts'
import { staticType } from './xpath/static-type.ts'

/**
 * Compiles every selector, expression and pattern of a config with the engine that will run it. Returns the errors with
 * their columns; empty: the config can run. Nothing is run here, in particular no pattern. The work is bounded by the
 * length limit, so the API may call this in its main thread. Paths begin at `fields`, `ignore` or `clean`; prepend
 * `extract_config`.
 */
export function checkRules(config: ExtractConfig): Issue[] {
  const besides = [...('ignore' in config ? ignoreIssues(config.ignore) : []), ...cleanIssues(config.clean)]
  if (!('fields' in config)) return besides
  const rule = CHECKS[config.method]
  return [
    ...Object.entries(config.fields).flatMap(([name, source]) => ruleIssue(joinPath('fields', name), rule, source)),
    ...besides,
  ]
}

function ignoreIssues({ selectors = [], patterns = [] }: Ignore = {}): Issue[] {
  return [
    ...selectors.flatMap((source, index) => ruleIssue(`ignore.selectors[${index}]`, IGNORED, source)),
    ...patterns.flatMap((source, index) => ruleIssue(`ignore.patterns[${index}]`, CHECKS.regex, source)),
  ]
}

function cleanIssues(clean: Clean = {}): Issue[] {
  return Object.entries(clean).flatMap(([name, treatments]) =>
    treatments.flatMap((treatment, index) =>
      'pattern' in treatment
        ? ruleIssue(`${joinPath('clean', name, index)}.pattern`, CHECKS.regex, treatment.pattern)
        : [],
    ),
  )
}

type Ignore = NonNullable<Extract<ExtractConfig, { method: 'full_page' }>['ignore']>

function ruleIssue(path: string, { check, what }: RuleCheck, source: string): Issue[] {
  const fault = checkLength(source) ?? check(source)
  return fault === null ? [] : [{ path, message: sentence(what, fault) }]
}

interface RuleCheck {
  readonly check: (source: string) => RuleFault | null
  readonly what: string
}

const IGNORED: RuleCheck = { check: checkCss, what: 'a CSS selector' }
const CHECKS = {
  css: { check: (source: string) => checkCssRule(listExpression(source) ?? source), what: 'a CSS selector' },
  xpath: { check: checkXPath, what: 'an XPath 1.0 expression' },
  json_path: { check: checkJsonPath, what: 'a JSONPath (RFC 9535)' },
  regex: { check: checkRegex, what: 'a JavaScript pattern' },
} as const

function checkLength(source: string): RuleFault | null {
  const { ruleLength } = EXTRACT_LIMITS
  return source.length > ruleLength
    ? { column: null, message: `it has ${source.length} characters; at most ${ruleLength} are allowed` }
    : null
}

function checkXPath(source: string): RuleFault | null {
  const expression = listExpression(source)
  const outcome = compileXPath(expression ?? source)
  if (!outcome.ok) return { column: outcome.fault.column, message: outcome.fault.message }
  if (expression === null || staticType(outcome.compiled.expr) === 'nodes') return null
  return { column: expression.length + 1, message: 'only an expression that selects nodes can end in []' }
}

function sentence(what: string, { column, message }: RuleFault): string {
  return `is not ${what} that can run: ${column === null ? '' : `column ${column}: `}${message}`.slice(0, 500)
}
