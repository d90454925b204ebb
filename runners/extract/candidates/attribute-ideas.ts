import type { Element } from 'domhandler'
import { ancestorsOf } from './anchors.ts'
import { CANDIDATE_LIMITS } from './bounds.ts'

/** Attributes that people watch, by what they see of them: the target of a link, the address of a picture, a date. */
const READ = ['href', 'src', 'content', 'value', 'datetime', 'alt', 'title', 'srcset', 'poster', 'data']
/** Elements between a text and the link that it stands in. */
const TO_LINK = 4
/** Characters of an attribute that is offered: the address of a picture may be the picture itself. */
const MOST = 2_000

/** An attribute that may be read, and its element: that which was pointed at, or the link around it. */
interface Readable {
  readonly element: Element
  readonly name: string
}

/** Returns the attributes that somebody may mean who points at an element. */
export function readableAttributes(element: Element): Readable[] {
  const own = [...READ, ...dataWithNumbers(element)].filter((name) => isReadable(element, name))
  const link = ancestorsOf(element, TO_LINK).find(({ name }) => name === 'a')
  return [
    ...own.map((name) => ({ element, name })),
    ...(link !== undefined && isReadable(link, 'href') ? [{ element: link, name: 'href' }] : []),
  ].slice(0, CANDIDATE_LIMITS.attributes)
}

function isReadable({ attribs }: Element, name: string): boolean {
  const value = attribs[name]?.trim()
  return value !== undefined && value !== '' && value.length <= MOST && !value.startsWith('data:')
}

/** Values for scripts, such as `data-price="19.99"`. */
const dataWithNumbers = ({ attribs }: Element) =>
  Object.keys(attribs).filter(
    (name) => /^data-[a-z][a-z-]*$/.test(name) && /^\D{0,4}\d[\d.,]*\D{0,4}$/.test(attribs[name] ?? ''),
  )
