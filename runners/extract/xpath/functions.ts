import { isElement } from '../tree.ts'
import type { Expr } from './ast.ts'
import type { Env, Focus } from './focus.ts'
import { nodeSet } from './node-set.ts'
import { localNameOf, namespaceUriOf, qualifiedName } from './node-test.ts'
import type { XNode } from './nodes.ts'
import { isNodes, stringOfNode, textToNumber, toBoolean, toNumber, toText } from './values.ts'
import type { XValue } from './values.ts'

type Call = Extract<Expr, { kind: 'call' }>
type Evaluate = (expr: Expr, focus: Focus, env: Env) => XValue

interface Args {
  readonly focus: Focus
  readonly env: Env
  /** The evaluated arguments. */
  readonly values: readonly XValue[]
}

/** Calls a core function. The parser has checked that it exists and takes this many arguments. */
export function callFunction(call: Call, focus: Focus, env: Env, evaluate: Evaluate): XValue {
  const values = call.args.map((arg) => evaluate(arg, focus, env))
  return FUNCTIONS.get(call.name)?.({ focus, env, values }) ?? ''
}

/** Returns a string argument, or the context node's string-value where it is omitted. */
function text({ values, focus }: Args, at = 0): string {
  const value = values[at]
  return value === undefined ? stringOfNode(focus.node) : toText(value)
}

function number({ values }: Args, at: number): number {
  const value = values[at]
  return value === undefined ? Number.NaN : toNumber(value)
}

function nodes({ values }: Args): readonly XNode[] {
  const [value] = values
  return value !== undefined && isNodes(value) ? value : []
}

/** Returns the first node of the argument, or the context node where there is no argument. */
function node(args: Args): XNode | undefined {
  return args.values.length === 0 ? args.focus.node : nodes(args)[0]
}

const FUNCTIONS = new Map<string, (args: Args) => XValue>(
  Object.entries<(args: Args) => XValue>({
    last: ({ focus }) => focus.size,
    position: ({ focus }) => focus.position,
    count: (args) => nodes(args).length,
    id: byIds,
    'local-name': (args) => nameWith(args, (one) => localNameOf(one, args.env.tree)),
    'namespace-uri': (args) => nameWith(args, namespaceUriOf),
    name: (args) => nameWith(args, qualifiedName),
    string: (args) => text(args),
    concat: ({ values }) => values.map(toText).join(''),
    'starts-with': (args) => text(args).startsWith(text(args, 1)),
    contains: (args) => text(args).includes(text(args, 1)),
    'substring-before': (args) => text(args).slice(0, Math.max(0, text(args).indexOf(text(args, 1)))),
    'substring-after': substringAfter,
    substring,
    'string-length': (args) => text(args).length,
    'normalize-space': (args) =>
      text(args)
        .replace(/[ \t\r\n]+/g, ' ')
        .replace(/^ | $/g, ''),
    translate,
    boolean: ({ values }) => values.every(toBoolean),
    not: ({ values }) => !values.every(toBoolean),
    true: () => true,
    false: () => false,
    lang,
    number: (args) => (args.values.length === 0 ? textToNumber(text(args)) : number(args, 0)),
    sum: (args) => nodes(args).reduce((sum, one) => sum + textToNumber(stringOfNode(one)), 0),
    floor: (args) => Math.floor(number(args, 0)),
    ceiling: (args) => Math.ceil(number(args, 0)),
    round: (args) => Math.round(number(args, 0)),
  }),
)

function nameWith(args: Args, read: (node: XNode) => string): string {
  const one = node(args)
  return one === undefined ? '' : read(one)
}

function byIds(args: Args): readonly XNode[] {
  const [value] = args.values
  const sources = value !== undefined && isNodes(value) ? value.map(stringOfNode) : [text(args)]
  const found = sources.flatMap((source) => source.split(/[ \t\r\n]+/)).map((id) => args.env.index.byId(id))
  return nodeSet(found.filter((one) => one !== undefined))
}

function substringAfter(args: Args): string {
  const [whole, mark] = [text(args), text(args, 1)]
  const at = whole.indexOf(mark)
  return at === -1 ? '' : whole.slice(at + mark.length)
}

/** Positions count UTF-16 units, as in browsers, not characters as §4.2 says. A NaN in any argument selects nothing. */
function substring(args: Args): string {
  const from = Math.round(number(args, 1))
  const to = args.values.length > 2 ? from + Math.round(number(args, 2)) : Infinity
  if (Number.isNaN(from) || Number.isNaN(to)) return ''
  return text(args).slice(Math.max(0, from - 1), Math.max(0, to - 1))
}

function translate(args: Args): string {
  const [from, to] = [text(args, 1), text(args, 2)]
  const map = new Map<string, string>()
  for (let i = 0; i < from.length; i += 1) if (!map.has(from.charAt(i))) map.set(from.charAt(i), to.charAt(i))
  let result = ''
  const whole = text(args)
  for (let i = 0; i < whole.length; i += 1) result += map.get(whole.charAt(i)) ?? whole.charAt(i)
  return result
}

function lang(args: Args): boolean {
  const wanted = text(args).toLowerCase()
  const { node: start } = args.focus
  for (let up = start.type === 'attribute' ? start.owner : start; up !== null;) {
    if (isElement(up)) {
      const found = up.attribs['xml:lang'] ?? (args.env.tree.kind === 'html' ? up.attribs['lang'] : undefined)
      if (found !== undefined) return found.toLowerCase() === wanted || found.toLowerCase().startsWith(`${wanted}-`)
    }
    if (up.parent === null) return false
    up = up.parent
  }
  return false
}
