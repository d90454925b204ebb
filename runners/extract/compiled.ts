import type { JSONPathQuery } from 'json-p3'
import { LRUCache } from 'lru-cache'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { listExpression } from '../../schema/monitor/value-limits.ts'
import { compileClean, type CompiledClean } from './clean/treatments.ts'
import { CssRule } from './css/css-rule.ts'
import { CompiledCss } from './css/css.ts'
import { compileJsonPath } from './json/json-path.ts'
import { readsText } from './reads-text.ts'
import { byEngine } from './refused-rule.ts'
import { compileRegex } from './text/regex.ts'
import type { CompiledRegex } from './text/regex.ts'
import { compileXPath } from './xpath/compile.ts'
import type { CompiledXPath } from './xpath/compile.ts'

/** A rule that may end in `[]`: without that end. */
interface Listable<T> {
  readonly rule: T
  /** The field is the list of all matches. */
  readonly isList: boolean
}

/** Null: the answer is read by its content type. */
type ReadAs = NonNullable<ExtractConfig['read_as']> | null

/** Rules for a tree that is read without the elements of some selectors. */
interface OnTree<Rule> {
  readonly fields: readonly (readonly [name: string, rule: Listable<Rule>])[]
  readonly without: readonly CompiledCss[]
}

/** The compiled rules of one config, by field name, and what is done to the values. */
export type Compiled = ByMethod & { readonly clean: CompiledClean }

type ByMethod =
  | ({ readonly method: 'css' } & OnTree<CssRule>)
  | ({ readonly method: 'xpath' } & OnTree<CompiledXPath>)
  | {
      readonly method: 'json_path'
      readonly fields: readonly (readonly [name: string, rule: JSONPathQuery])[]
      readonly readAs: ReadAs
    }
  | {
      readonly method: 'regex'
      readonly fields: readonly (readonly [name: string, rule: CompiledRegex])[]
      readonly readAs: ReadAs
    }
  | { readonly method: 'full_page'; readonly ignored: Ignored | null }
  | { readonly method: 'prompt'; readonly without: readonly CompiledCss[] }

/** What a whole page is read without. */
export interface Ignored {
  readonly selectors: readonly CompiledCss[]
  readonly patterns: readonly RegExp[]
}

/**
 * The number of configs that a thread caches. Compiling a selector costs about as much as running it on a small page.
 */
const CACHE_SIZE = 1_000
const cache = new LRUCache<string, Compiled>({ max: CACHE_SIZE })

/**
 * Compiles the rules of a config, or returns them from the cache. Throws `RefusedRule` on a rule that `checkRules`
 * would refuse. A selector is compiled, and refused, when it first reads a page.
 */
export function compileRules(config: ExtractConfig): Compiled {
  if (config.method === 'prompt' && !config.ignore) return { method: config.method, without: [], clean: UNTREATED }
  if (config.method === 'full_page' && !readsText(config) && !config.read_as)
    return { method: config.method, ignored: null, clean: UNTREATED }
  const key = JSON.stringify(config)
  const known = cache.get(key)
  if (known !== undefined) return known
  // The answer of a model is treated where it comes.
  const { clean } = config.method === 'prompt' ? {} : config
  const compiled = byEngine(() => ({ ...compileConfig(config), clean: compileClean(clean) }))
  cache.set(key, compiled)
  return compiled
}

type WithFields = Extract<ExtractConfig, { fields: unknown }>

const UNTREATED: CompiledClean = new Map()

function compileConfig(config: ExtractConfig): ByMethod {
  switch (config.method) {
    case 'css':
      return {
        method: 'css',
        fields: mapFields(config, (source) => listable(source, (one) => new CssRule(one))),
        without: selectorsOf(config),
      }
    case 'xpath':
      return {
        method: 'xpath',
        fields: mapFields(config, (source) => listable(source, compiledXPath)),
        without: selectorsOf(config),
      }
    case 'json_path':
      return {
        method: 'json_path',
        fields: mapFields(config, compileJsonPath),
        readAs: config.read_as ?? null,
      }
    case 'regex':
      return { method: 'regex', fields: mapFields(config, compileRegex), readAs: config.read_as ?? null }
    case 'full_page':
      return { method: 'full_page', ignored: { selectors: selectorsOf(config), patterns: patternsOf(config) } }
    case 'prompt':
      return { method: 'prompt', without: selectorsOf(config) }
  }
}

type Ignoring = Pick<Extract<ExtractConfig, { method: 'full_page' }>, 'ignore'>

const selectorsOf = ({ ignore: { selectors = [] } = {} }: Ignoring) =>
  selectors.map((source) => new CompiledCss(source))

const patternsOf = ({ ignore: { patterns = [] } = {} }: Ignoring) => patterns.map((source) => new RegExp(source))

function mapFields<T>(config: WithFields, compile: (source: string) => T): (readonly [string, T])[] {
  return Object.entries(config.fields).map(([name, source]) => [name, compile(source)] as const)
}

function listable<T>(source: string, compile: (expression: string) => T): Listable<T> {
  const expression = listExpression(source)
  return { rule: compile(expression ?? source), isList: expression !== null }
}

function compiledXPath(source: string): CompiledXPath {
  const outcome = compileXPath(source)
  if (!outcome.ok) throw outcome.fault
  return outcome.compiled
}
