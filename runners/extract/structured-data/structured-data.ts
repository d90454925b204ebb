import type { Json } from '../../../schema/shape/json.ts'
import { dictionary } from '../dictionary.ts'
import type { ParsedJson } from '../json/parse-json.ts'
import type { Tree } from '../tree.ts'
import { statedArticle } from './article.ts'
import { statedEvent } from './event.ts'
import { asWritten, type ScriptJson, ScriptParser } from './json-scripts.ts'
import { metaOf, openGraphOf } from './meta-elements.ts'
import { type MicrodataItem, microdataOf } from './microdata.ts'
import { elementsOf, type PageElements } from './page-elements.ts'
import { openGraphStatement } from './product-statement.ts'
import { agreedProduct } from './product.ts'
import { type StatedThings, statedThings } from './stated-things.ts'
import { LEFT_OUT, STRUCTURED_LIMITS } from './structured-limits.ts'
import { listOf } from './thing.ts'
import type { Part, Wanted } from './wanted-parts.ts'

interface StructuredData {
  /** An object of the wanted parts. */
  readonly parsed: ParsedJson
  readonly warnings: readonly string[]
}

/** The parts that are made of what things are stated. */
const AGREED: readonly Part[] = ['product', 'article', 'event']

/** Returns what a page states for machines as one object. `url` is its address, which addresses are relative to. */
export function structuredData(tree: Tree, url: string, { parts, scripts }: Wanted): StructuredData {
  const elements = elementsOf(tree)
  const warnings: string[] = []
  const both = new BothDocuments()
  const needsThings = AGREED.some((part) => parts.has(part))
  const blocks = needsThings || parts.has('json_ld') ? jsonLdBlocks(elements, warnings) : []
  const items = needsThings || parts.has('microdata') ? itemsOf(tree, { elements, url }, warnings) : []
  const openGraph = openGraphOf(elements.metas)
  // What is agreed comes first: an outline begins with it.
  if (needsThings) {
    const things = statedThings(
      blocks.flatMap((block) => listOf(asWritten(block))),
      items,
    )
    warnings.push(...things.warnings, ...addAgreed(both, { parts, things, openGraph }))
  }
  if (parts.has('json_ld'))
    both.add('json_ld', flat(blocks, 'plain'), differ(blocks) ? flat(blocks, 'exact') : undefined)
  if (parts.has('microdata')) both.add('microdata', items)
  if (parts.has('open_graph')) both.add('open_graph', openGraph)
  if (parts.has('meta')) both.add('meta', metaOf(elements.metas))
  if (parts.has('scripts')) addScripts(both, scriptsOf(elements, scripts, warnings))
  return { parsed: both.toParsed(), warnings }
}

interface Stated {
  readonly parts: ReadonlySet<Part>
  readonly things: StatedThings
  readonly openGraph: { readonly [name: string]: Json }
}

/** Returns the warnings of what was added. */
function addAgreed(both: BothDocuments, { parts, things, openGraph }: Stated): readonly string[] {
  const [title = null] = listOf(openGraph['og:title']).filter((text) => typeof text === 'string')
  const stated = { openGraph: openGraphStatement(openGraph), title }
  const agreed = parts.has('product') ? agreedProduct(things, stated) : null
  if (agreed) both.add('product', agreed.product)
  if (parts.has('article')) both.add('article', statedArticle(things, openGraph))
  if (parts.has('event')) both.add('event', statedEvent(things))
  return agreed?.warnings ?? []
}

interface PagePlace {
  readonly elements: PageElements
  readonly url: string
}

function itemsOf(tree: Tree, { elements, url }: PagePlace, warnings: string[]): readonly MicrodataItem[] {
  const read = microdataOf(tree, elements, URL.parse(elements.base ?? '', url)?.href ?? url)
  warnings.push(...read.warnings)
  return read.items
}

/** Lists at the top of blocks are the nodes in them. */
const flat = (blocks: readonly ScriptJson[], of: 'plain' | 'exact'): readonly Json[] =>
  blocks.flatMap((block) => listOf(block[of]))

const differ = (scripts: readonly ScriptJson[]) => scripts.some(({ plain, exact }) => plain !== exact)

/** The document that rules compare with, and the one that is kept: see `ParsedJson`. */
class BothDocuments {
  readonly #plain = dictionary<Json>()
  readonly #exact = dictionary<Json>()
  #differ = false

  /** `exact` is given where it differs. */
  add(part: Part, plain: Json, exact?: Json): void {
    this.#plain[part] = plain
    this.#exact[part] = exact ?? plain
    if (exact !== undefined) this.#differ = true
  }

  toParsed(): ParsedJson {
    return { plain: this.#plain, exact: this.#differ ? this.#exact : this.#plain }
  }
}

function jsonLdBlocks({ jsonLd }: PageElements, warnings: string[]): readonly ScriptJson[] {
  const parser = new ScriptParser()
  const read = jsonLd.slice(0, STRUCTURED_LIMITS.jsonLdBlocks)
  if (read.length < jsonLd.length) warnings.push(LEFT_OUT.blocks(jsonLd.length))
  const faults: string[] = []
  const blocks = read.flatMap((script, index) => {
    const parsed = parser.parse(script, `Block ${index + 1} of JSON-LD`)
    if (typeof parsed !== 'string') return parsed ?? []
    faults.push(parsed)
    return []
  })
  warnings.push(...firstFaults(faults))
  return blocks
}

function scriptsOf({ scripts }: PageElements, ids: Wanted['scripts'], warnings: string[]) {
  const parser = new ScriptParser()
  const found = new Map<string, ScriptJson>()
  const tried = new Set<string>()
  const faults: string[] = []
  for (const [id, script] of scripts) {
    if (ids !== null && !ids.has(id)) continue
    if (tried.has(id)) {
      faults.push(LEFT_OUT.sameId(id))
      continue
    }
    tried.add(id)
    const parsed = parser.parse(script, `The script ${JSON.stringify(id.slice(0, 100))}`)
    if (typeof parsed === 'string') faults.push(parsed)
    else if (parsed !== null) found.set(id, parsed)
  }
  warnings.push(...firstFaults(faults))
  return found
}

function addScripts(both: BothDocuments, scripts: ReadonlyMap<string, ScriptJson>): void {
  const plain = dictionary<Json>()
  const exact = dictionary<Json>()
  for (const [id, script] of scripts) {
    plain[id] = script.plain
    exact[id] = script.exact
  }
  both.add('scripts', plain, differ([...scripts.values()]) ? exact : undefined)
}

const MOST_FAULTS = 3

/** A page may have a fault in each of its scripts. */
const firstFaults = (faults: readonly string[]): readonly string[] =>
  faults.length <= MOST_FAULTS
    ? faults
    : [...faults.slice(0, MOST_FAULTS), `The same is so of ${faults.length - MOST_FAULTS} more.`]
