import { type Issue, joinPath } from './issue.ts'
import type { RuleName } from '../rules/rule-name.ts'
import { VARIANTS, RULES, type VariantTable } from '../shape/shape.ts'
import { keysOf, walkSchema } from '../shape/walk-schema.ts'

/**
 * `never` allows a table of rules for different value types: shape.ts pairs each rule with a node of the right type.
 */
type Judge = { check(value: never): readonly Issue[] }

/**
 * Walks schema and value together and applies the variants of `Tagged` nodes and the named rules. The value's shape is
 * already valid except for variants. A node's rules run only when its variants and its children are valid, so that a
 * rule never receives an incomplete object.
 */
export function walkRules(schema: object, value: unknown, table: Readonly<Record<RuleName, Judge>>): Issue[] {
  return walkSchema<Issue>(schema, value, (place, inner) => {
    const path = joinPath('', ...keysOf(place))
    const issues = [...armIssues(place.node[VARIANTS], place.value, path), ...inner()]
    if (issues.length > 0) return issues
    return (place.node[RULES] ?? []).flatMap((name) =>
      table[name]
        .check(place.value as never)
        .map((issue) => ({ path: under(path, issue.path), message: issue.message })),
    )
  })
}

const under = (path: string, rest: string) =>
  path !== '' && rest !== '' && !rest.startsWith('[') ? `${path}.${rest}` : path + rest

function armIssues(table: VariantTable | undefined, value: unknown, path: string): Issue[] {
  if (!table || value === null || typeof value !== 'object') return []
  const tag = (value as Record<string, unknown>)[table.tag]
  const variant = typeof tag === 'string' && Object.hasOwn(table.variants, tag) ? table.variants[tag] : undefined
  if (!variant) return []
  const missing = variant.required
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => ({ path: joinPath(path, key), message: `is required with ${table.tag} ${String(tag)}` }))
  const foreign = Object.keys(value)
    .filter((key) => key !== table.tag && !variant.allowed.includes(key))
    .map((key) => ({ path: joinPath(path, key), message: `is not allowed with ${table.tag} ${String(tag)}` }))
  return [...missing, ...foreign]
}
