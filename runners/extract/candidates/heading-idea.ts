import type { Element } from 'domhandler'
import { isElement } from '../tree.ts'
import { xpathText } from './escape.ts'
import type { Finder } from './finder.ts'
import type { Idea } from './idea.ts'
import { isRare, shortText } from './label-text.ts'
import { shown } from './shown.ts'
import { xpathNameOf } from './xpath-name.ts'

/** Elements whose text stands above what belongs to them. */
const HEADINGS = /^(?:h[1-6]|legend|caption|summary|dt|th|strong|b|label)$/
/** Nodes before an element among which its heading is sought, and elements of its name between both. */
const NODES = 2_000
const BETWEEN = 200

/** Returns the rule that counts from the nearest heading before an element. */
export function headingIdea(element: Element, finder: Finder): Idea | null {
  const { all } = finder.census.index
  const start = element.startIndex ?? 0
  let between = 1
  for (let at = start - 1; at > start - NODES && at > 0 && between <= BETWEEN; at -= 1) {
    const node = all[at]
    if (node === undefined || !isElement(node) || (node.endIndex ?? 0) >= start) continue
    const text = HEADINGS.test(node.name) ? shortText(node, finder) : null
    if (text !== null && isRare(node, text, finder)) return ideaOf(element, { heading: node, text, between }, finder)
    if (node.name === element.name && node.namespace === element.namespace) between += 1
  }
  return null
}

interface Headed {
  readonly heading: Element
  readonly text: string
  readonly between: number
}

function ideaOf(element: Element, { heading, text, between }: Headed, { tree }: Finder): Idea {
  const start = `//${xpathNameOf(heading, tree)}[normalize-space()=${xpathText(text)}]`
  const what = `${shown(element.name)} number ${between}`
  return {
    kind: 'counted',
    path: `(${start}/following::${xpathNameOf(element, tree)})[${between}]`,
    reason: () => `${what} below the text "${shown(text)}", counted: another element before it moves it`,
  }
}
