import type { Element } from 'domhandler'
import type { Candidate } from '../../../../runners/extract/candidates/candidate.ts'
import { candidatesOf } from '../../../../runners/extract/candidates/candidates.ts'
import { looksGenerated } from '../../../../runners/extract/candidates/generated-name.ts'
import { matchesOf } from '../../../../runners/extract/candidates/judge-rule.ts'
import { parseHtml } from '../../../../runners/extract/html/html.ts'
import { isElement, textOf, type Tree } from '../../../../runners/extract/tree.ts'
import { nodeIndexOf } from '../../../../runners/extract/xpath/compile.ts'
import type { Json } from '../../../../schema/shape/json.ts'

const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'option', 'svg', 'textarea'])

/** Returns the elements that a person sees text of: those with a text of their own, outside of what is not shown. */
export function visibleTexts(tree: Tree): Element[] {
  return nodeIndexOf(tree)
    .all.filter(isElement)
    .filter((element) => element.children.some((child) => child.type === 'text' && child.data.trim() !== ''))
    .filter((element) => isShown(element))
}

function isShown(element: Element): boolean {
  for (
    let at: Element | null = element;
    at !== null;
    at = at.parent !== null && isElement(at.parent) ? at.parent : null
  ) {
    const { attribs, name } = at
    if (UNSEEN.has(name) || attribs['hidden'] !== undefined || attribs['aria-hidden'] === 'true') return false
    if (/display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribs['style'] ?? '')) return false
  }
  return true
}

export interface Clicks {
  clicked: number
  offered: number
  givesText: number
  notPositional: number
  notFragile: number
  readonly ms: number[]
  readonly kinds: Map<string, number>
  /** Of the selectors and of the paths: how many find their element in the changed page. */
  readonly kept: Record<Change, { rules: number; paths: number }>
}

export const CHANGES = [
  'built again',
  'all classes renamed',
  'a banner and a wrapper',
  'built again, with both',
] as const
type Change = (typeof CHANGES)[number]

export function noClicks(): Clicks {
  const none = () => ({ rules: 0, paths: 0 })
  return {
    clicked: 0,
    offered: 0,
    givesText: 0,
    notPositional: 0,
    notFragile: 0,
    ms: [],
    kinds: new Map(),
    kept: {
      'built again': none(),
      'all classes renamed': none(),
      'a banner and a wrapper': none(),
      'built again, with both': none(),
    },
  }
}

/** Clicks on at most `most` of the visible texts of a page, spread over it. */
export function clickThrough(html: string, most: number, clicks: Clicks): void {
  const tree = parseHtml(html)
  if (tree.kind === 'too_complex') throw new Error(tree.excess)
  const changed = CHANGES.map((change) => ({ change, tree: changedPage(html, change) }))
  const all = visibleTexts(tree)
  const every = Math.max(1, all.length / most)
  for (let at = 0; at < all.length; at += every) {
    const element = all[Math.floor(at)]
    if (element === undefined) continue
    clicks.clicked += 1
    const before = usedMs()
    const { values } = candidatesOf(tree, element)
    clicks.ms.push(usedMs() - before)
    const [best] = values
    const path = values.find(({ kind }) => kind === 'position')
    if (best === undefined) continue
    clicks.offered += 1
    clicks.kinds.set(best.kind, (clicks.kinds.get(best.kind) ?? 0) + 1)
    if (isValueOf(best.value, textOf(element).trim())) clicks.givesText += 1
    if (best.kind !== 'position') clicks.notPositional += 1
    if (!best.fragile) clicks.notFragile += 1
    for (const { change, tree: page } of changed) {
      const target = page.byOrder.get(element.startIndex ?? -1)
      const finds = (rule: Candidate | undefined): boolean =>
        rule !== undefined && matchesOf(rule, page.tree)?.first === target
      if (finds(best)) clicks.kept[change].rules += 1
      if (finds(path)) clicks.kept[change].paths += 1
    }
  }
}

/** Processor time, because a busy machine takes longer by the clock. */
export function usedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A run cuts a long text. */
const isValueOf = (value: Json, text: string): boolean =>
  value === text || (typeof value === 'string' && text.startsWith(value.replace(/…\[truncated sha256:\w+\]$/, '')))

interface ChangedPage {
  readonly tree: Tree
  /** The elements by their number in the page as it was. */
  readonly byOrder: ReadonlyMap<number, Element>
}

/** Returns the page with other names or other elements, and which element was which. */
function changedPage(html: string, change: Change): ChangedPage {
  const tree = parseHtml(html)
  const original = parseHtml(html)
  if (tree.kind === 'too_complex' || original.kind === 'too_complex') throw new Error('too complex')
  // The numbers are those of another parse, because a tree is numbered once.
  const elements = allElements(tree)
  const numbers = nodeIndexOf(original).all.filter(isElement)
  const byOrder = new Map(elements.map((element, at) => [numbers[at]?.startIndex ?? -1, element]))
  const renamed = new Map<string, string>()
  const other = (name: string) => renamed.set(name, renamed.get(name) ?? `renamed${renamed.size}x`).get(name) ?? ''
  const isRenamed = change === 'all classes renamed' ? () => true : looksGenerated
  if (change !== 'a banner and a wrapper')
    for (const { attribs } of elements) {
      const { class: classes, id } = attribs
      if (classes !== undefined)
        attribs['class'] = classes.replace(/\S+/g, (name) => (isRenamed(name) ? other(name) : name))
      if (id !== undefined && looksGenerated(id)) attribs['id'] = other(id)
    }
  if (change === 'a banner and a wrapper' || change === 'built again, with both') addParts(elements)
  return { tree, byOrder }
}

/** Puts a banner in front of the page, and what was in the body into an element more. */
function addParts(elements: readonly Element[]): void {
  const body = elements.find(({ name }) => name === 'body')
  const banner = parseHtml('<div class="banner"><p>We use cookies</p></div><div class="page"></div>')
  if (body === undefined || banner.kind === 'too_complex') return
  const [notice, wrapper] = allElements(banner).filter(({ name }) => name === 'div')
  if (notice === undefined || wrapper === undefined) return
  wrapper.children = body.children
  for (const child of wrapper.children) child.parent = wrapper
  body.children = [notice, wrapper]
  for (const child of body.children) child.parent = body
}

function allElements(tree: Tree): Element[] {
  const found: Element[] = []
  const stack = [...tree.document.children].toReversed()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (!isElement(next)) continue
    found.push(next)
    const [first] = next.children
    if (first?.type !== 'root') stack.push(...[...next.children].toReversed())
  }
  return found
}
