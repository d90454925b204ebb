import type { Json } from '../../../schema/shape/json.ts'
import type { MicrodataItem } from './microdata.ts'

/** Something that a page states by schema.org, in JSON-LD or microdata. */
export interface Thing {
  /** Names of schema.org without its address: `Product`. */
  readonly types: readonly string[]
  readonly id: string | null
  /** Returns the values of a property. Numbers are as written. */
  all(name: string): readonly (string | Thing)[]
}

/** Finds a node of JSON-LD by its `@id`. */
type NodesById = ReadonlyMap<string, JsonObject>

export type JsonObject = { readonly [key: string]: Json }

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const listOf = (value: Json | undefined): readonly Json[] => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? (value as readonly Json[]) : [value]
}

const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** The ways in which pages write a name of schema.org. */
const SPELLINGS = ['', 'schema:', 'https://schema.org/', 'http://schema.org/'] as const

/** The end of a name that is looked at: the word may be in a text of any length. */
const WORD_CHARS = 200

/** Returns the last word of a name of schema.org: `https://schema.org/InStock` and `schema:InStock` are `InStock`. */
export const lastWord = (name: string): string =>
  name
    .slice(-WORD_CHARS)
    .split(/[/#:\s]+/)
    .findLast((word) => word !== '') ?? ''

export function jsonLdThing(node: JsonObject, byId: NodesById): Thing {
  return {
    types: listOf(own(node, '@type')).flatMap((type) => (typeof type === 'string' ? [lastWord(type)] : [])),
    id: textOrNull(own(node, '@id')),
    all: (name) =>
      SPELLINGS.flatMap((prefix) => listOf(own(node, prefix + name)).flatMap((one) => valuesOf(one, byId))),
  }
}

function valuesOf(value: Json, byId: NodesById): (string | Thing)[] {
  if (!isJsonObject(value)) return Array.isArray(value) ? [] : scalarOf(value)
  const plain = own(value, '@value')
  if (plain !== undefined) return scalarOf(plain)
  const listed = own(value, '@list') ?? own(value, '@set')
  if (listed !== undefined)
    return listOf(listed).flatMap((one): (string | Thing)[] =>
      isJsonObject(one) ? [jsonLdThing(one, byId)] : scalarOf(one),
    )
  const id = own(value, '@id')
  // A reference has an id alone; what it refers to may be on another page.
  if (typeof id === 'string' && Object.keys(value).length === 1) {
    const node = byId.get(id)
    return [node === undefined ? id : jsonLdThing(node, byId)]
  }
  return [jsonLdThing(value, byId)]
}

function scalarOf(value: Json): string[] {
  return typeof value === 'object' ? [] : [String(value).trim()]
}

export function microdataThing(item: MicrodataItem): Thing {
  return {
    types: listOf(item.type).flatMap((type) => (typeof type === 'string' ? [lastWord(type)] : [])),
    id: item.id ?? null,
    all: (name) =>
      listOf(own(item.properties, name)).flatMap((value): (string | Thing)[] =>
        isMicrodataItem(value) ? [microdataThing(value)] : scalarOf(value),
      ),
  }
}

const isMicrodataItem = (value: Json): value is JsonObject & MicrodataItem =>
  isJsonObject(value) && isJsonObject(value['properties'])

const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** Returns the first value of a property that is a text and not empty; null: there is none. */
export function textOfThing(thing: Thing, ...names: readonly string[]): string | null {
  for (const name of names)
    for (const value of thing.all(name)) if (typeof value === 'string' && value !== '') return value
  return null
}

/** Returns the first name of a property: that of a person or a company, or the text itself. */
export const nameOfThing = (thing: Thing, property: string): string | null => namesOfThing(thing, property)[0] ?? null

export function namesOfThing(thing: Thing, property: string): string[] {
  return thing.all(property).flatMap((value) => {
    const name = typeof value === 'string' ? value : textOfThing(value, 'name')
    return name ? [name] : []
  })
}

/** Returns the things that are the value of a property. */
export const thingsOf = (thing: Thing, property: string): readonly Thing[] =>
  thing.all(property).filter((value) => typeof value !== 'string')
