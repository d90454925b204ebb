import type { Element } from 'domhandler'
import { isElement } from '../tree.ts'
import { ancestorsOf } from './anchors.ts'
import { classesOf } from './classes.ts'
import { xpathText } from './escape.ts'
import type { Finder } from './finder.ts'
import type { Idea } from './idea.ts'
import { isRare, shortText } from './label-text.ts'
import { type Selector, step, toXPath } from './selector.ts'
import { shown } from './shown.ts'
import { xpathNameOf } from './xpath-name.ts'

/** Elements around the element that a label may stand beside, and siblings that are looked at. */
const LEVELS = 2
const SIBLINGS = 8
/** Elements that may be a label; a paragraph or a link is one only with a colon. */
const LABELS = /^(?:t[dh]|d[dt]|label|legend|caption|summary|h[1-6]|strong|b|em|i|small|span|div|figcaption)$/
const MOST_IN_PROSE = 30

/** Returns rules that begin at a text beside the element, such as the name in front of a value. */
export function labelIdeas(element: Element, finder: Finder): Idea[] {
  const around = [element, ...ancestorsOf(element, LEVELS)]
  for (const [level, beside] of around.entries()) {
    for (const label of labelsBefore(beside)) {
      const text = labelText(label, beside, finder)
      if (text === null || !isRare(label, text, finder)) continue
      return [ideaOf({ element, beside, label, text, inner: around.slice(0, level) }, finder)]
    }
  }
  return []
}

interface Labelled {
  readonly element: Element
  /** The element beside the label: the element itself, or one around it. */
  readonly beside: Element
  readonly label: Element
  readonly text: string
  /** The elements from the element to below `beside`. */
  readonly inner: readonly Element[]
}

function ideaOf({ element, beside, label, text, inner }: Labelled, finder: Finder): Idea {
  const { tree } = finder
  const nth = siblingsBetween(label, beside)
  const tail = stepsTo(inner, finder)
  const start = `//${xpathNameOf(label, tree)}[normalize-space()=${xpathText(text)}]`
  const next = `/following-sibling::${xpathNameOf(beside, tree)}[${nth}]`
  const counts = tail.some((one) => one.nth !== null) || (nth > 1 && !/^t[dh]$/.test(beside.name))
  const counted = ', counted: another element before it moves it'
  return {
    kind: counts ? 'counted' : 'label-text',
    path: `${start}${next}${toXPath(tail, tree)}`,
    reason: () => `the ${element.name} element behind the text "${shown(text)}"${counts ? counted : ''}`,
  }
}

function stepsTo(inner: readonly Element[], { census }: Finder): Selector {
  return inner.toReversed().map((one) => {
    const { nth, of } = census.placeOf(one)
    return step({ like: one, nth: of > 1 ? nth : null, isChild: true })
  })
}

/** Returns the siblings before an element, nearest first; of a cell, the first one of its row. */
function labelsBefore(element: Element): Element[] {
  const found: Element[] = []
  let before: typeof element.prev = element.prev
  for (let looked = 0; before !== null && looked < SIBLINGS * 2; looked += 1) {
    if (isElement(before)) found.push(before)
    before = before.prev
  }
  const cells = /^t[dh]$/.test(element.name)
  return (cells ? found.toReversed() : found).slice(0, cells ? 1 : SIBLINGS)
}

/** Returns how many siblings of its name an element is behind a label, itself included. */
function siblingsBetween(label: Element, element: Element): number {
  let count = 0
  for (let at: typeof element.prev = element; at !== null && at !== label; at = at.prev)
    if (isElement(at) && at.name === element.name) count += 1
  return count
}

function labelText(label: Element, beside: Element, finder: Finder): string | null {
  const text = shortText(label, finder)
  if (text === null || /\d/.test(text)) return null
  if (!LABELS.test(label.name) && !(text.endsWith(':') && text.length <= MOST_IN_PROSE)) return null
  return isApart(label, beside, text) ? text : null
}

/** Elements of one kind in a row are items of a list: none of them labels the next one. */
function isApart(label: Element, beside: Element, text: string): boolean {
  if (label.name !== beside.name || text.endsWith(':') || /^t[dh]$/.test(label.name)) return true
  return (label.attribs['class'] ?? '') !== (beside.attribs['class'] ?? '') && classesOf(label).length > 0
}
