import type { Json } from '../../schema/shape/json.ts'
import { baseOf, cleanFields } from './clean/clean-fields.ts'
import type { CompiledClean } from './clean/treatments.ts'
import type { Compiled } from './compiled.ts'
import type { CssRule } from './css/css-rule.ts'
import type { CompiledCss } from './css/css.ts'
import { parseHtml } from './html/html.ts'
import type { Sought } from './html/sought.ts'
import { EXTRACT_LIMITS } from './limits.ts'
import { failed } from './page.ts'
import type { Extraction, Failed, Fields, Page } from './page.ts'
import { decode } from './text/charset.ts'
import { isBinaryType, isJsonType, markupKind, mediaType } from './text/page-kind.ts'
import { boundList, boundValues, type Room } from './text/truncate.ts'
import type { Tree } from './tree.ts'
import { matchesOf, removeElements } from './without-elements.ts'
import { parseXml } from './xml/xml.ts'
import { runXPath, unboundPrefixes } from './xpath/compile.ts'
import { isNodes, stringOfNode } from './xpath/values.ts'
import type { XValue } from './xpath/values.ts'

/** A page that was parsed as HTML or XML, with the warnings of its decoding. */
interface ParsedPage {
  readonly ok: true
  readonly tree: Tree
  readonly warnings: readonly string[]
}

/** Pages that are read in several ways. Null: it was not parsed yet. */
const KEPT = new WeakMap<Page, ParsedPage | null>()

/** Lets a page that is read in several ways be parsed once. Its tree is kept for as long as the page is. */
export function keepTree(page: Page): void {
  if (!KEPT.has(page)) KEPT.set(page, null)
}

/**
 * Parses a page as the methods css and xpath do.
 *
 * @param sought what alone is read of it, so that its tree may end early. A page that is read in several ways is read
 *   as a whole.
 */
export function parseMarkup(page: Page, sought: Sought | null = null): ParsedPage | Failed {
  const known = KEPT.get(page)
  if (known) return known
  const parsed = parse(page, known === null ? null : sought)
  if (parsed.ok && known === null) KEPT.set(page, parsed)
  return parsed
}

function parse(page: Page, sought: Sought | null = null): ParsedPage | Failed {
  const type = mediaType(page.contentType)
  // JSON has no elements, so every field would be empty.
  if (isBinaryType(type) || isJsonType(type))
    return failed('wrong_type', `The answer is ${type}; this method reads HTML and XML. Check the address.`)
  const kind = markupKind(page)
  const { text, warnings } = decode(page.body, page.contentType, kind)
  const tree = kind === 'xml' ? parseXml(text) : parseHtml(text, sought)
  if (tree.kind === 'too_complex')
    return failed('too_complex', `${tree.excess} Watch a smaller page, or use the regex method.`)
  return { ok: true, tree, warnings }
}

interface TreeReading {
  /** The elements that these select are not in the tree, which nobody else reads then. */
  readonly without?: readonly CompiledCss[]
  readonly clean?: CompiledClean
  /** What alone is read of the tree. Null: anything may be. */
  readonly sought?: Sought | null
}

/** Reads a page as a tree. Warnings that `read` adds come behind those of the decoding. */
export function onTree(
  page: Page,
  read: (tree: Tree, warnings: string[]) => Fields,
  { without = [], clean = UNTREATED, sought = null }: TreeReading = {},
): Extraction {
  const parsed = without.length === 0 ? parseMarkup(page, sought) : parse(page)
  if (!parsed.ok) return parsed
  removeElements(matchesOf(without, parsed.tree))
  const found = [...parsed.warnings]
  const fields = read(parsed.tree, found)
  return finish(fields, found, { clean, base: clean.size === 0 ? page.url : baseOf(parsed.tree, page.url) })
}

const UNTREATED: CompiledClean = new Map()

type TreeRules = Extract<Compiled, { method: 'css' | 'xpath' }>

/** Returns the fields that rules for a tree give. */
export function fieldsOnTree(compiled: TreeRules, tree: Tree, warnings: string[]): Fields {
  const room = (name: string) => (compiled.clean.has(name) ? TREATED_ROOM : KEPT_ROOM)
  if (compiled.method === 'css')
    return compiled.fields.map(([name, { rule, isList }]) => [
      name,
      isList ? listOf(rule.all(tree), (element) => rule.read(element, tree), room(name)) : firstOf(rule, tree),
    ])
  for (const [name, { rule }] of compiled.fields) {
    for (const prefix of unboundPrefixes(rule, tree))
      warnings.push(`The prefix ${prefix}: of the field ${name} is not declared in the answer.`)
  }
  return compiled.fields.map(([name, { rule, isList }]) => [
    name,
    xpathValue(runXPath(rule, tree), isList ? room(name) : null),
  ])
}

const KEPT_ROOM: Room = { items: EXTRACT_LIMITS.items, bytes: EXTRACT_LIMITS.resultBytes }
/** Treatments see the whole list, so that what they leave is what is cut. */
const TREATED_ROOM: Room = { items: Infinity, bytes: EXTRACT_LIMITS.treatedBytes }

interface Finishing {
  readonly clean: CompiledClean
  /** The address that links are relative to. */
  readonly base: string
}

/** Treats fields, and cuts them to what a run keeps. */
export function finish(
  fields: Fields,
  warnings: readonly string[],
  { clean, base }: Finishing = { clean: UNTREATED, base: '' },
): Extraction {
  const cleaned = cleanFields(fields, clean, base)
  const bounded = boundValues(Object.fromEntries(cleaned.fields))
  const { emptied } = cleaned
  return {
    ok: true,
    values: bounded.values,
    ...(emptied.length > 0 && { emptied }),
    warnings: [...warnings, ...cleaned.warnings, ...bounded.warnings],
  }
}

function firstOf(rule: CssRule, tree: Tree): string | null {
  const element = rule.first(tree)
  return element && rule.read(element, tree)
}

/**
 * JSON has no NaN and no infinities. They become null, like a missing value.
 *
 * @param listRoom for a rule that gives a list
 */
function xpathValue(value: XValue, listRoom: Room | null): Json {
  if (typeof value === 'string') return value.trim()
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (!isNodes(value)) return value
  if (listRoom) return listOf(value, stringOfNode, listRoom)
  const [first] = value
  return first === undefined ? null : stringOfNode(first).trim()
}

/**
 * Returns the trimmed texts of all matches. They are bounded one by one: the texts of elements inside each other can
 * have a thousand times the size of the page.
 */
function listOf<T>(nodes: readonly T[], textOfNode: (node: T) => string, room: Room): readonly Json[] {
  return boundList(nodes, (node) => textOfNode(node).trim(), room)
}
