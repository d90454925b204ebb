import type { Element } from 'domhandler'
import { EXTRACT_LIMITS } from '../../limits.ts'
import { childrenOf, isElement, type Tree, textOf } from '../../tree.ts'
import { matcher } from '../../xpath/node-test.ts'
import { CANDIDATE_LIMITS } from '../bounds.ts'
import { counted, shown } from '../shown.ts'
import { xpathNameOf } from '../xpath-name.ts'
import type { Outline, OutlineNode } from './outline-node.ts'

/** Attributes of one element that are shown. */
const MOST_ATTRIBUTES = 20
const { outlineNodes, outlineChildren, outlineDepth, shownLength } = CANDIDATE_LIMITS

interface Place {
  readonly element: Element
  readonly steps: readonly Step[]
  readonly parent: number | null
}

interface Step {
  readonly name: string
  /** Its number among those that the name finds, from 1; null: it is the only one. */
  readonly nth: number | null
}

/** Returns the elements and attributes of an XML document with the expressions that read them. */
export function xmlOutline(tree: Tree): Outline {
  const nodes: OutlineNode[] = []
  const waiting: Place[] = stepsBelow(tree.document, tree).map(({ element, step }) => ({
    element,
    steps: [step],
    parent: null,
  }))
  let isCut = false
  for (let at = 0; at < waiting.length; at += 1) {
    const place = waiting[at]
    if (place === undefined) continue
    if (nodes.length >= outlineNodes || pathOf(place.steps).length > EXTRACT_LIMITS.ruleLength - 2) {
      isCut = true
      continue
    }
    const own = nodes.length
    const below = childrenOf(place.element).filter(isElement)
    nodes.push(elementNode(place, below.length), ...attributeNodes(place, own))
    const room = place.steps.length >= outlineDepth ? 0 : outlineChildren
    if (below.length > room) isCut = true
    for (const { element, step } of stepsBelow(place.element, tree, room))
      waiting.push({ element, steps: [...place.steps, step], parent: own })
  }
  return { method: 'xpath', nodes: nodes.slice(0, outlineNodes), isCut: isCut || nodes.length > outlineNodes }
}

/** Returns the first elements in a node, with the steps that find them. */
function stepsBelow(node: Tree['document'] | Element, tree: Tree, most: number = outlineChildren) {
  const elements = childrenOf(node).filter(isElement)
  const alike = new Map<string, Element[]>()
  return elements.slice(0, most).map((element) => {
    const name = xpathNameOf(element, tree)
    const known = alike.get(name) ?? elements.filter(finds(name, element, tree))
    alike.set(name, known)
    return { element, step: { name, nth: known.length > 1 ? known.indexOf(element) + 1 : null } }
  })
}

/** Returns what a name finds, as the engine decides it: a prefix is a namespace. */
function finds(name: string, { name: written }: Element, tree: Tree): (one: Element) => boolean {
  if (name.startsWith('*')) return (one) => one.name === written
  const colon = name.indexOf(':')
  const prefix = colon < 0 ? null : name.slice(0, colon)
  const local = name.slice(colon + 1)
  return matcher({ kind: 'name', prefix, local, lower: local.toLowerCase() }, 'child', tree)
}

const pathOf = (steps: readonly Step[]) =>
  steps.map(({ name, nth }) => `/${name}${nth === null ? '' : `[${nth}]`}`).join('')

/** Returns the path of all that are like an element: in every item around it, where the items are counted. */
function allOf(steps: readonly Step[], end = ''): string | null {
  const item = steps.findLastIndex(({ nth }) => nth !== null)
  const counted = steps[item]
  return counted === undefined ? null : `${pathOf(steps.with(item, { ...counted, nth: null }))}${end}[]`
}

function elementNode({ element, steps, parent }: Place, parts: number): OutlineNode {
  const value = parts === 0 ? shown(textOf(element), shownLength) : counted(parts, 'element')
  return { parent, name: shown(element.name), rule: pathOf(steps), all: allOf(steps), value, parts }
}

function attributeNodes({ element, steps }: Place, parent: number): OutlineNode[] {
  return Object.entries(element.attribs)
    .filter(([name]) => /^[A-Za-z_][\w.-]*$/.test(name) && name !== 'xmlns')
    .filter(([name]) => pathOf(steps).length + name.length + 4 <= EXTRACT_LIMITS.ruleLength)
    .slice(0, MOST_ATTRIBUTES)
    .map(([name, value]) => ({
      parent,
      name: `@${name}`,
      rule: `${pathOf(steps)}/@${name}`,
      all: allOf(steps, `/@${name}`),
      value: shown(value, shownLength),
      parts: 0,
    }))
}
