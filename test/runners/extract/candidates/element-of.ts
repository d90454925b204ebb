import type { Element } from 'domhandler'
import type { ElementCandidates } from '../../../../runners/extract/candidates/candidate.ts'
import { type CandidateOptions, candidatesOf } from '../../../../runners/extract/candidates/candidates.ts'
import { parseMarkup } from '../../../../runners/extract/on-tree.ts'
import { isElement, textOf, type Tree } from '../../../../runners/extract/tree.ts'
import { nodeIndexOf } from '../../../../runners/extract/xpath/compile.ts'
import { html } from '../pages.ts'

export function treeOf(body: string): Tree {
  const parsed = parseMarkup(html(body))
  if (!parsed.ok) throw new Error(parsed.fault.message)
  return parsed.tree
}

/** The elements of a tree in document order. */
export const elementsOf = (tree: Tree): Element[] => nodeIndexOf(tree).all.filter(isElement)

/** The innermost element with this text. */
export function elementWith(tree: Tree, text: string): Element {
  const found = elementsOf(tree).findLast((element) => textOf(element).trim() === text)
  if (found === undefined) throw new Error(`no element has the text ${text}`)
  return found
}

/** What is offered for the innermost element with this text. */
export function offered(body: string, text: string, options: CandidateOptions = {}): ElementCandidates {
  const tree = treeOf(body)
  return candidatesOf(tree, elementWith(tree, text), options)
}
