import type { Json } from '../../../schema/shape/json.ts'
import type { MicrodataItem } from './microdata.ts'
import { LEFT_OUT, STRUCTURED_LIMITS } from './structured-limits.ts'
import { isJsonObject, type JsonObject, jsonLdThing, listOf, microdataThing, type Thing, thingsOf } from './thing.ts'

/** What a page is about, by each of the two ways to state things. */
export interface StatedThings {
  readonly jsonLd: readonly Thing[]
  readonly microdata: readonly Thing[]
  readonly warnings: readonly string[]
}

/** The properties of a page, or of a list in it, that say what it is about. */
const ABOUT = ['mainEntity', 'mainEntityOfPage'] as const

/** Returns the things that stand by themselves, not those that are part of another one: those may be about others. */
export function statedThings(blocks: readonly Json[], items: readonly MicrodataItem[]): StatedThings {
  const { nodes, isCut } = nodesOf(blocks)
  const byId = new Map<string, JsonObject>()
  for (const node of nodes) {
    const id = Object.hasOwn(node, '@id') ? node['@id'] : undefined
    // The node that says most: others with its id only refer to it.
    if (typeof id === 'string' && Object.keys(node).length > Object.keys(byId.get(id) ?? {}).length) byId.set(id, node)
  }
  const jsonLd = nodes.map((node) => jsonLdThing(node, byId))
  const microdata = items.slice(0, STRUCTURED_LIMITS.things).map(microdataThing)
  const hasMore = isCut || microdata.length < items.length
  return { jsonLd: withMain(jsonLd), microdata: withMain(microdata), warnings: hasMore ? [LEFT_OUT.things] : [] }
}

/** Returns the objects at the top of the blocks, and those of their graphs. */
function nodesOf(blocks: readonly Json[]): { readonly nodes: readonly JsonObject[]; readonly isCut: boolean } {
  const nodes: JsonObject[] = []
  const waiting: Json[] = [...blocks].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isJsonObject(next)) continue
    if (nodes.length >= STRUCTURED_LIMITS.things) return { nodes, isCut: true }
    nodes.push(next)
    const graph = Object.hasOwn(next, '@graph') ? listOf(next['@graph']) : []
    for (let at = graph.length - 1; at >= 0; at -= 1) waiting.push(graph[at] ?? null)
  }
  return { nodes, isCut: false }
}

const withMain = (things: readonly Thing[]): readonly Thing[] =>
  things.flatMap((thing) => [thing, ...ABOUT.flatMap((property) => thingsOf(thing, property))])

/** Returns the things of a kind, each once. */
export function ofKind(things: readonly Thing[], isKind: (type: string) => boolean): readonly Thing[] {
  return things.filter(({ types }) => types.some(isKind))
}
