/** The elements of a document as a browser has it, in its order, without those of shadow roots and frames. */
export interface LiveTree {
  /** The index of the parent; -1: the document. */
  readonly parents: readonly number[]
  readonly tags: readonly string[]
  /** Says of two elements with the same name whether they are the same (`markOf`). */
  readonly marks: readonly number[]
}

/** The characters of an attribute, and of the text of an element, that count. */
const MARKED_CHARS = 200
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/**
 * Returns a number that differs, as good as always, between elements with other attributes or another text of their
 * own. The order of the attributes does not count, and neither does white space.
 */
export function markOf(attributes: Iterable<readonly [name: string, value: string]>, text: string): number {
  let sum = hashOf(text.replace(/\s+/g, ' ').trim().slice(0, MARKED_CHARS))
  for (const [name, value] of attributes) {
    const said = value.slice(0, MARKED_CHARS).replace(/\s+/g, ' ')
    sum = (sum + hashOf(`${name.toLowerCase()}=${said}`)) | 0
  }
  return sum
}

function hashOf(text: string): number {
  let hash = FNV_OFFSET
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  return hash
}
