import { isDeepStrictEqual } from 'node:util'
import { nodeOf } from '../schema/shape/walk-schema.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { SpecKind } from './kinds/spec-kind.ts'

/** What marks a configuration: its kind, its monitor, and the key of the installation. */
interface Tagging {
  readonly kind: Pick<SpecKind, 'definition' | 'patch'>
  readonly secrets: Pick<SecretBox, 'mark'>
  /** The id of the monitor. */
  readonly id: string
}

/**
 * Returns the entity tag of a configuration: a mark of each key that a PATCH can change, and that has not its default.
 * The state of the monitor is not part of it. A key of a later version is one, and a key that a later version adds
 * changes no tag until it is used.
 *
 * The marks are keyed and of one monitor, so nobody can find out a secret by the mark of a guess. So two tags tell
 * which keys differ, and no older configuration has to be kept.
 */
export const configurationTag = (tagging: Tagging, spec: object): string =>
  `"${[...marksOf(tagging, spec)].map(([key, mark]) => `${encodeURIComponent(key)}=${mark}`).join(';')}"`

/**
 * Returns the keys in which a configuration differs from the one with an entity tag, those of the configuration first.
 * From a tag that is not of this monitor, all differ.
 */
export function keysChangedSince(tag: string, tagging: Tagging, spec: object): readonly string[] {
  const seen = readTag(tag)
  const now = marksOf(tagging, spec)
  const known = Object.keys(nodeOf(tagging.kind.definition).properties ?? {})
  const gone = known.filter((key) => seen.has(key) && !now.has(key))
  return [...now.keys().filter((key) => now.get(key) !== seen.get(key)), ...gone]
}

function marksOf({ kind, secrets, id }: Tagging, spec: object): ReadonlyMap<string, string> {
  const { properties = {} } = nodeOf(kind.definition)
  const changeable = nodeOf(kind.patch).properties ?? {}
  const marked = Object.entries(spec).filter(([key, value]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (known === undefined) return true
    return Object.hasOwn(changeable, key) && !isDeepStrictEqual(value, known.default)
  })
  return new Map(
    marked.map(([key, value]) => {
      const mark = secrets.mark(`configuration ${id} ${key} ${sortedJson(value)}`)
      return [key, Buffer.from(mark, 'hex').toString('base64url')]
    }),
  )
}

function readTag(tag: string): ReadonlyMap<string, string> {
  const parts = tag.replaceAll('"', '').split(';')
  return new Map(
    parts.flatMap((part) => {
      const [, key = '', mark = ''] = /^([\w.~%!'()*-]+)=([\w-]+)$/.exec(part) ?? []
      return key === '' ? [] : [[key, mark] as const]
    }),
  )
}

/** The order of keys inside a value does not matter. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
