import type { Element } from 'domhandler'
import type { Json } from '../../../schema/shape/json.ts'
import { compileRules } from '../compiled.ts'
import { fieldsOnTree, finish } from '../on-tree.ts'
import { RefusedRule } from '../refused-rule.ts'
import { checkRules } from '../rules.ts'
import type { Tree } from '../tree.ts'
import { runXPath } from '../xpath/compile.ts'
import type { XNode } from '../xpath/nodes.ts'
import { isNodes } from '../xpath/values.ts'
import type { Rule } from './idea.ts'

const FIELD = 'value'

/** Returns whether a rule can be saved: by the check that saving a monitor makes. */
export function isSavable({ method, rule }: Rule): boolean {
  // JSON in the store has neither of them.
  return rule.isWellFormed() && !rule.includes('\0') && checkRules({ method, fields: { [FIELD]: rule } }).length === 0
}

/** Returns the value that a run stores for a rule, read as a run reads it. Undefined: the engine refuses the rule. */
export function valueOnTree({ method, rule }: Rule, tree: Tree): Json | undefined {
  try {
    const compiled = compileRules({ method, fields: { [FIELD]: rule } })
    if (compiled.method !== 'css' && compiled.method !== 'xpath') return undefined
    const read = finish(fieldsOnTree(compiled, tree, []), [])
    return read.ok ? read.values[FIELD] : undefined
  } catch (error) {
    if (error instanceof RefusedRule) return undefined
    throw error
  }
}

/** The nodes of a rule, and the one that a rule without `[]` reads. */
interface Matches {
  readonly first: XNode
  readonly all: readonly XNode[]
}

/** Returns what a rule matches in a tree, by the engine that runs it; null: nothing, or no nodes. */
export function matchesOf({ method, rule }: Rule, tree: Tree): Matches | null {
  const compiled = compileRules({ method, fields: { [FIELD]: rule } })
  if (compiled.method === 'css') {
    const [[, { rule: selector }] = NONE] = compiled.fields
    const first: Element | null = selector?.first(tree) ?? null
    return first === null || selector === undefined ? null : { first, all: selector.all(tree) }
  }
  if (compiled.method !== 'xpath') return null
  const [[, { rule: expression }] = NONE] = compiled.fields
  const value = expression === undefined ? '' : runXPath(expression, tree)
  if (!isNodes(value)) return null
  const [first] = value
  return first === undefined ? null : { first, all: value }
}

const NONE: readonly [string, { readonly rule?: undefined }] = ['', {}]
