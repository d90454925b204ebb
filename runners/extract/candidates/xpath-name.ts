import type { Element } from 'domhandler'
import { XHTML } from '../tree.ts'
import type { Tree } from '../tree.ts'
import { namespaceOf } from '../xpath/node-test.ts'
import { xpathText } from './escape.ts'

/** Names that every expression may write as they are. */
const PLAIN = /^[\p{L}_][\p{L}\p{N}_.-]*$/u
const PREFIXES = new Map([
  ['http://www.w3.org/2000/svg', 'svg'],
  ['http://www.w3.org/1998/Math/MathML', 'math'],
])

/** Returns the node test that finds an element by its name. A name that XPath cannot write becomes a predicate. */
export function xpathNameOf({ name, namespace }: Element, tree: Tree): string {
  const byText = `*[name()=${xpathText(name)}]`
  if (tree.kind === 'html') {
    const prefix = namespace === undefined || namespace === XHTML ? '' : PREFIXES.get(namespace)
    if (prefix === undefined || !PLAIN.test(name)) return byText
    return prefix === '' ? name : `${prefix}:${name}`
  }
  const [first = '', second, ...more] = name.split(':')
  if (second === undefined) return PLAIN.test(first) ? name : byText
  const isPlain = more.length === 0 && PLAIN.test(first) && PLAIN.test(second)
  return isPlain && namespace !== undefined && namespaceOf(first, tree) === namespace ? name : byText
}
