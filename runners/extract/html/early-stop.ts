import type { Element, ParentNode } from 'domhandler'
import { InsertionMode, type Token } from 'parse5'
import { EXTRACT_LIMITS } from '../limits.ts'
import type { Tree } from '../tree.ts'
import type { StretchTokenizer } from './html-tokenizer.ts'
import { treeOf } from './html-tree.ts'
import { isOpen, isSettled, LateTags, mostTags, type PageState } from './settled.ts'
import type { Place, Sought } from './sought.ts'

/** Characters of `<a>`. */
const SHORTEST_TAG = 3

/** Finds where the reading of a page can stop, because all that it is read for is known (docs/decisions/0058). */
export class EarlyStop {
  readonly #text: string
  readonly #tokenizer: StretchTokenizer
  readonly #sought: Sought
  readonly #lateTags: LateTags
  #tree: Tree | null = null
  /** A first match stays the first one, so the last look is not a second walk through the tree. */
  #firsts = new Map<object, Element>()
  /** The start tags so far. */
  #tags = 0
  /** The position before which a look is in vain. */
  #from = 0

  constructor(text: string, sought: Sought, tokenizer: StretchTokenizer) {
    this.#text = text
    this.#tokenizer = tokenizer
    this.#sought = sought
    this.#lateTags = new LateTags(text)
  }

  /** The tree at which the reading stopped; null: it did not. */
  get tree(): Tree | null {
    return this.#tree
  }

  /** Drops what it knows of the tree. */
  forget(): void {
    this.#tree = null
    this.#firsts = new Map()
    this.#sought.forget()
  }

  /** Is told of each start tag when it was read. */
  see(tag: Token.TagToken, place: Place): void {
    this.#tags += 1
    this.#tokenizer.tellsTagEnds = this.#sought.see(tag, place)
  }

  /** Stops if the tree has all that is sought, and nothing behind `at`, the end of a tag, can change that. */
  look(at: number, page: PageState): void {
    const isOpenHere = (element: ParentNode): boolean => isOpen(element, page)
    if (at < this.#from || !this.#sought.isDue(isOpenHere) || !isSettled(page)) return
    this.#from = this.#lateTags.from(at, page.insertionMode === InsertionMode.IN_HEAD)
    if (this.#from !== Infinity) return
    this.#from = 0
    const tree = { ...treeOf(page.document), readTo: at + 1, firsts: this.#firsts }
    if (!this.#sought.isFound(tree, isOpenHere)) return
    if (this.#mayHaveTooMany(at)) {
      this.#from = Infinity
      return
    }
    this.#tree = tree
    this.#tokenizer.pause()
  }

  #mayHaveTooMany(at: number): boolean {
    const room = EXTRACT_LIMITS.tags - this.#tags
    return (this.#text.length - at) / SHORTEST_TAG > room && mostTags(this.#text, at) > room
  }
}
