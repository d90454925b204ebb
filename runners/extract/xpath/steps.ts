import { AXES } from './ast.ts'
import type { Axis, NodeTest, Predicate, Step } from './ast.ts'
import type { TokenReader } from './token-reader.ts'
import { XPathFault } from './xpath-fault.ts'

const ANY_NODE: NodeTest = { kind: 'node' }
const DESCENDANT_OR_SELF: Step = { axis: 'descendant-or-self', test: ANY_NODE, predicates: [] }

type ParsePredicate = (reader: TokenReader) => Predicate

/** Returns whether a location step begins at the reader. After a lone `/` there may be none. */
export function startsStep(reader: TokenReader): boolean {
  const token = reader.peek()
  return token.type === 'name' || (token.type === 'punct' && ['.', '..', '@'].includes(token.text))
}

/**
 * Returns the steps of a relative path. With `afterNodes` the path follows other nodes, so it begins with `/` or `//`.
 */
export function parseRelative(
  reader: TokenReader,
  parsePredicate: ParsePredicate,
  from = { afterNodes: false },
): Step[] {
  const steps: Step[] = []
  if (!from.afterNodes) steps.push(parseStep(reader, parsePredicate))
  for (;;) {
    const deep = reader.takeOperator('//')
    if (!deep && !reader.takeOperator('/')) return steps
    const step = parseStep(reader, parsePredicate)
    if (!deep) steps.push(step)
    else steps.push(...descend(step))
  }
}

/**
 * `//x` is short for `/descendant-or-self::node()/child::x`. Where no predicate counts positions among siblings,
 * `/descendant::x` has the same nodes and costs one walk.
 */
function descend(step: Step): Step[] {
  if (step.axis === 'child' && step.predicates.every((predicate) => !predicate.positional))
    return [{ ...step, axis: 'descendant' }]
  return [DESCENDANT_OR_SELF, step]
}

function parseStep(reader: TokenReader, parsePredicate: ParsePredicate): Step {
  if (reader.isPunct('.') || reader.isPunct('..')) {
    return { axis: reader.next().text === '.' ? 'self' : 'parent', test: ANY_NODE, predicates: [] }
  }
  const axis = parseAxis(reader)
  const test = parseNodeTest(reader)
  const predicates: Predicate[] = []
  while (reader.isPunct('[')) predicates.push(parsePredicate(reader))
  return { axis, test, predicates }
}

function parseAxis(reader: TokenReader): Axis {
  if (reader.isPunct('@')) {
    reader.next()
    return 'attribute'
  }
  if (reader.peek().type !== 'name' || !reader.isPunct('::', 1)) return 'child'
  const { text, column } = reader.next()
  reader.next()
  const axis = AXES.find((name) => name === text)
  if (axis === undefined) throw new XPathFault(`there is no axis ${text}::`, column)
  return axis
}

function parseNodeTest(reader: TokenReader): NodeTest {
  const token = reader.peek()
  if (token.type !== 'name') throw reader.unexpected('a name')
  reader.next()
  if (!reader.isPunct('(')) return nameTest(token.text)
  return nodeTypeTest(reader, token.text, token.column)
}

function nameTest(text: string): NodeTest {
  const colon = text.indexOf(':')
  const prefix = colon === -1 ? null : text.slice(0, colon)
  const name = text.slice(colon + 1)
  return { kind: 'name', prefix, local: name === '*' ? null : name, lower: name.toLowerCase() }
}

function nodeTypeTest(reader: TokenReader, name: string, column: number): NodeTest {
  reader.expect('(')
  let target: string | null = null
  if (name === 'processing-instruction' && reader.peek().type === 'literal') target = reader.next().text
  reader.expect(')')
  if (name === 'processing-instruction') return { kind: name, target }
  if (name === 'node' || name === 'text' || name === 'comment') return { kind: name }
  throw new XPathFault(`a step cannot be the function ${name}()`, column)
}
