import type { ParentNode } from 'domhandler'
import { InsertionMode, type Token, type Tokenizer } from 'parse5'
import { EXTRACT_LIMITS } from '../limits.ts'
import type { Tree } from '../tree.ts'
import { treeOf } from './html-tree.ts'
import { isOpen, isSettled, LateTags, mostTags, type PageState } from './settled.ts'
import type { Sought } from './sought.ts'

/** Characters of `<a>`. */
const SHORTEST_TAG = 3

/** A parser that may stop. */
export interface StoppingPage extends PageState {
  readonly tokenizer: Pick<Tokenizer, 'pause'>
}

/**
 * Finds where the reading of a page can stop, because all that it is read for is known. It has no reference to the
 * parser: the garbage collector kept the trees of many pages with one, which cost a tenth of the time of each.
 */
export class EarlyStop {
  readonly #text: string
  readonly #sought: Sought
  readonly #lateTags: LateTags
  #tree: Tree | null = null
  /** The start tags so far. */
  #tags = 0
  /** The position before which a look is in vain. */
  #from = 0

  constructor(text: string, sought: Sought) {
    this.#text = text
    this.#sought = sought
    this.#lateTags = new LateTags(text)
  }

  /** The tree at which the reading stopped; null: it did not. */
  get tree(): Tree | null {
    return this.#tree
  }

  /** Is told of each start tag when it was read. Returns whether to look behind the next tags. */
  see(token: Token.TagToken, current: ParentNode | undefined): boolean {
    this.#tags += 1
    return this.#sought.see(token, current)
  }

  /** Stops if the tree has all that is sought, and nothing behind `at`, the end of a tag, can change that. */
  look(at: number, page: StoppingPage): void {
    const isOpenHere = (element: ParentNode): boolean => isOpen(element, page)
    if (at < this.#from || !this.#sought.isDue(isOpenHere) || !isSettled(page)) return
    this.#from = this.#lateTags.from(at, page.insertionMode === InsertionMode.IN_HEAD)
    if (this.#from !== Infinity) return
    this.#from = 0
    const tree = { ...treeOf(page.document), readTo: at + 1 }
    if (!this.#sought.isFound(tree, isOpenHere)) return
    if (this.#mayHaveTooMany(at)) {
      this.#from = Infinity
      return
    }
    this.#tree = tree
    page.tokenizer.pause()
  }

  #mayHaveTooMany(at: number): boolean {
    const room = EXTRACT_LIMITS.tags - this.#tags
    return (this.#text.length - at) / SHORTEST_TAG > room && mostTags(this.#text, at) > room
  }
}
