import type { Element } from 'domhandler'
import { uncountedTail } from './anchored-ideas.ts'
import type { Anchor } from './anchors.ts'
import { CANDIDATE_LIMITS } from './bounds.ts'
import type { Finder } from './finder.ts'
import type { Idea } from './idea.ts'
import { repeatsOf } from './list-ideas.ts'
import { linkTests } from './named-tests.ts'
import { step, type Test } from './selector.ts'
import { pathWords, testWords } from './words.ts'

/** Links of an item that are tried. */
const MOST_LINKS = 3

/** Returns rules that find the item of a list by the address that it links to, and the element inside it. */
export function rowIdeas(element: Element, finder: Finder): Idea[] {
  const repeat = repeatsOf(element).find(({ inner }) => inner.length > 0)
  if (repeat === undefined || finder.census.costOf(repeat.item).nodes > CANDIDATE_LIMITS.ruleCost) return []
  for (const value of addressesIn(repeat.item, finder).slice(0, MOST_LINKS)) {
    const link: Test = { kind: 'link', value }
    const start = step({ like: repeat.item, tests: [link] })
    if (finder.find([start])?.count !== 1) continue
    const anchor: Anchor = { element: repeat.item, step: start, words: '' }
    const tail = uncountedTail(element, anchor, finder)
    if (tail === null) return []
    const reason = `the only ${pathWords(tail)} in the ${repeat.item.name} with ${testWords(link)}`
    return [{ kind: 'row', path: [start, ...tail], reason: () => reason }]
  }
  return []
}

/** Returns addresses to which one element alone links. */
function addressesIn(item: Element, { census }: Finder): string[] {
  const { all } = census.index
  const found: string[] = []
  for (let at = (item.startIndex ?? 0) + 1; at <= (item.endIndex ?? -1) && found.length < MOST_LINKS; at += 1) {
    const node = all[at]
    if (node === undefined || !('attribs' in node)) continue
    for (const { tests } of linkTests(node)) {
      const [test] = tests
      if (test !== undefined && test.value !== null && census.all(test).length <= MOST_LINKS) found.push(test.value)
    }
  }
  return [...new Set(found)]
}
