import type { Element } from 'domhandler'
import { CANDIDATE_LIMITS } from './bounds.ts'

/** Characters of a class attribute that are read: one of a megabyte does not help. */
const MOST = CANDIDATE_LIMITS.classes * CANDIDATE_LIMITS.nameLength

const KNOWN = new WeakMap<Element, readonly string[]>()
const NONE: readonly string[] = []

/** Returns the first classes of an element, each once, without those that are too long for a selector. */
export function classesOf(element: Element): readonly string[] {
  const value = element.attribs['class']
  if (value === undefined || value === '') return NONE
  let classes = KNOWN.get(element)
  if (classes === undefined) {
    classes = classesIn(value)
    KNOWN.set(element, classes)
  }
  return classes
}

function classesIn(value: string): readonly string[] {
  const found = value.slice(0, MOST).split(/[ \t\n\f\r]+/)
  // The last one may be cut.
  if (value.length > MOST) found.pop()
  const short = found.filter((name) => name !== '' && name.length <= CANDIDATE_LIMITS.nameLength)
  return [...new Set(short)].slice(0, CANDIDATE_LIMITS.classes)
}
