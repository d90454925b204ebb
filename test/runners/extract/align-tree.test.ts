import { describe, expect, test } from 'vitest'
import { alignTree, elementsOf } from '../../../runners/extract/align/align-tree.ts'
import { type LiveTree, markOf } from '../../../runners/extract/align/live-tree.ts'
import { childrenOf } from '../../../runners/extract/tree.ts'
import { parseXml } from '../../../runners/extract/xml/xml.ts'

/** The tree of a browser's document. Scripts make what HTML cannot say, so it is read as XML. */
function liveOf(text: string): LiveTree & { readonly ids: readonly string[] } {
  const tree = parseXml(text)
  if (tree.kind === 'too_complex') throw new Error('The document is too complex.')
  const [parents, tags, marks, ids]: [number[], string[], number[], string[]] = [[], [], [], []]
  const add = (elements: ReturnType<typeof elementsOf>, parent: number): void => {
    for (const element of elements) {
      const texts = childrenOf(element).flatMap((child) => (child.type === 'text' ? [child.data] : []))
      const index = tags.push(element.name) - 1
      parents.push(parent)
      marks.push(markOf(Object.entries(element.attribs), texts.join('')))
      ids.push(`${element.name} ${texts.join('')}`.trim())
      add(elementsOf(element), index)
    }
  }
  add(elementsOf(tree.document), -1)
  return { parents, tags, marks, ids }
}

/** Each element of the body, by its name and its own text, with its place below the body. */
function placesIn(body: string): readonly string[] {
  const html = `<html><head></head><body>${body}</body></html>`
  const { ids, ...live } = liveOf(html)
  const places = alignTree(html, live, [...ids.keys()])
  return ids.map((id, index) => `${id}: ${places[index]?.slice(2).join('.') ?? 'none'}`).slice(3)
}

const CARD = (text: string) => `<div class="a"><span>${text}</span></div>`

describe('An element of a browser is found again in the HTML', () => {
  test.each([
    ['all that HTML can say', `${CARD('1')}${CARD('2')}`, ['div: 0', 'span 1: 0.0', 'div: 1', 'span 2: 1.0']],
    ['an element that holds nothing', '<div><p></p></div><b>1</b>', ['div: 0', 'p: 0.0', 'b 1: 1']],
  ])('%s', (_, body, places) => expect(placesIn(body)).toEqual(places))

  test('elements that are nested as deeply as is read', () => {
    const places = placesIn(`${'<div>'.repeat(509)}<b>1</b>${'</div>'.repeat(509)}`)
    expect(places.filter((place) => place.endsWith('none'))).toEqual([])
    expect(places.at(-1)).toBe(`b 1: ${'0.'.repeat(509)}0`)
  })
})

describe('An element is not found where the HTML has another one', () => {
  test.each([
    [
      'a card that has left the paragraph of a script',
      `<p class="x">${CARD('1')}</p>${CARD('2')}`,
      ['p: 0', 'div: none', 'span 1: none', 'div: none', 'span 2: none'],
    ],
    [
      'the same card with more around what it says',
      `<p class="x"><div><div><b>1</b></div></div></p><div><div><b>2</b></div></div>`,
      ['p: 0', 'div: none', 'div: none', 'b 1: none', 'div: none', 'div: none', 'b 2: none'],
    ],
    [
      'and what is around it keeps its own, where it has another element',
      `<section><i>Top</i><p class="x">${CARD('1')}</p>${CARD('2')}</section>`,
      ['section: 0', 'i Top: 0.0', 'p: 0.1', 'div: none', 'span 1: none', 'div: none', 'span 2: none'],
    ],
  ])('%s', (_, body, places) => expect(placesIn(body)).toEqual(places))
})
