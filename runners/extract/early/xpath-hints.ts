import type { Expr, Predicate, Step } from '../xpath/ast.ts'
import { ANY, type AttributeHint, type Hint } from './hint.ts'

/**
 * Returns a hint for each element that a path names, in the order in which they begin in a page: the last one is that
 * for the first node, or what has it. Of several paths nothing is said.
 */
export function xpathHints([path, ...others]: readonly Expr[]): readonly [...Hint[], Hint] {
  const hints = path === undefined || others.length > 0 ? [] : hintsOf(path)
  const last = hints.pop() ?? ANY
  return [...hints, last]
}

function hintsOf(expr: Expr): Hint[] {
  if (expr.kind !== 'path') return [ANY]
  const hints = typeof expr.start === 'string' ? [] : hintsOf(expr.start)
  for (const step of expr.steps) {
    const last = hints.at(-1)
    if (step.axis === 'attribute') {
      if (last && step.test.kind === 'name' && step.test.local !== null)
        hints.splice(-1, 1, { ...last, attributes: [...last.attributes, { name: step.test.lower, part: null }] })
    } else if (step.test.kind === 'name') hints.push(hintOf(step, step.test.local === null ? null : step.test.lower))
  }
  return hints
}

const hintOf = ({ predicates }: Step, name: string | null): Hint => ({
  name,
  attributes: predicates.flatMap(({ expr }: Predicate) => attributesIn(expr)),
})

/** Returns what a predicate says of attributes, where it is plain. */
function attributesIn(expr: Expr): readonly AttributeHint[] {
  if (expr.kind === 'and') return [...attributesIn(expr.left), ...attributesIn(expr.right)]
  if (expr.kind === 'path') return attributeHint(expr, null)
  if (expr.kind === 'compare' && expr.op === '=') return compared(expr.left, expr.right)
  if (expr.kind === 'call' && (expr.name === 'contains' || expr.name === 'starts-with'))
    return compared(expr.args[0], expr.args[1])
  return []
}

function compared(one: Expr | undefined, other: Expr | undefined): readonly AttributeHint[] {
  return one?.kind === 'path' && other?.kind === 'string' ? attributeHint(one, other.value) : []
}

function attributeHint({ start, steps }: Extract<Expr, { kind: 'path' }>, part: string | null): AttributeHint[] {
  const [step, ...others] = steps
  if (start !== 'context' || step?.axis !== 'attribute' || others.length > 0) return []
  return step.test.kind === 'name' && step.test.local !== null ? [{ name: step.test.lower, part }] : []
}
