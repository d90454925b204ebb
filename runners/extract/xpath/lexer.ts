import { XPathFault } from './xpath-fault.ts'

export interface Token {
  readonly type: 'punct' | 'operator' | 'name' | 'number' | 'literal' | 'end'
  readonly text: string
  readonly column: number
}

// XML names, without the rare differences between editions: a letter or underscore, then letters, digits, marks, dot,
// dash.
const NCNAME = String.raw`[\p{L}_][\p{L}\p{N}\p{M}_.\-·]*`
const PATTERN = new RegExp(
  [
    String.raw`(?<space>[ \t\r\n]+)`,
    String.raw`(?<number>\d+(?:\.\d*)?|\.\d+)`,
    String.raw`(?<literal>"[^"]*"|'[^']*')`,
    String.raw`(?<punct>::|\.\.|[()[\].@,$])`,
    String.raw`(?<operator>\/\/|!=|<=|>=|[/|+\-=<>])`,
    String.raw`(?<star>\*)`,
    String.raw`(?<name>${NCNAME}(?::(?:\*|${NCNAME}))?)`,
  ].join('|'),
  'uy',
)
const OPERATOR_NAMES = new Set(['and', 'or', 'mod', 'div'])
const OPENERS = new Set(['@', '::', '(', '[', ',', '$'])

/**
 * After these a `*` is a name test and `div` is an element. After anything else both are operators (XPath 1.0 §3.7).
 */
function startsOperand(last: Token | undefined): boolean {
  return last === undefined || last.type === 'operator' || (last.type === 'punct' && OPENERS.has(last.text))
}

function unreadable(source: string, at: number): XPathFault {
  const char = source.charAt(at)
  const what =
    char === '"' || char === "'" ? `the string that starts here has no closing ${char}` : `unexpected character ${char}`
  return new XPathFault(what, at + 1)
}

/** Returns the tokens of an expression, the last of type `end`. Throws `XPathFault`. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    PATTERN.lastIndex = at
    const groups = PATTERN.exec(source)?.groups
    if (groups === undefined) throw unreadable(source, at)
    const column = at + 1
    at = PATTERN.lastIndex
    if (groups['space'] !== undefined) continue
    tokens.push(classify(groups, column, startsOperand(tokens.at(-1))))
  }
  tokens.push({ type: 'end', text: '', column: source.length + 1 })
  return tokens
}

function classify(groups: Record<string, string | undefined>, column: number, operand: boolean): Token {
  if (groups['number'] !== undefined) return { type: 'number', text: groups['number'], column }
  if (groups['literal'] !== undefined) return { type: 'literal', text: groups['literal'].slice(1, -1), column }
  if (groups['punct'] !== undefined) return { type: 'punct', text: groups['punct'], column }
  if (groups['operator'] !== undefined) return { type: 'operator', text: groups['operator'], column }
  if (groups['star'] !== undefined) return { type: operand ? 'name' : 'operator', text: '*', column }
  const name = groups['name'] ?? ''
  return { type: !operand && OPERATOR_NAMES.has(name) ? 'operator' : 'name', text: name, column }
}
