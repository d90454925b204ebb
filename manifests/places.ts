import { type Document, isMap, isNode, isScalar, isSeq, type LineCounter, type ParsedNode } from 'yaml'
import { camelCase } from '../core/custom-resource/camel-case.ts'
import { secretKeyBeside } from '../core/custom-resource/secret-places.ts'
import { RESOURCE_GROUP } from '../schema/resource-kind.ts'

/** Where something is, for messages: `monitors/shop.yaml:12`. */
export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

/** What is wrong with an input, and where. Nothing of the input may be applied then. */
export interface ManifestFault extends Place {
  /** In the manifest's spelling, as in `spec.extractConfig.method`. Empty: the whole document or file. */
  readonly path: string
  /** A sentence that begins with the path. */
  readonly message: string
}

/** Returns what is wrong with a whole file or folder. */
export const fileFault = (file: string, message: string): ManifestFault => ({
  file,
  line: 1,
  column: 1,
  path: '',
  message,
})

/** A part of a text: its value, its node, and what tells its lines. */
export interface Part {
  readonly file: string
  readonly lines: LineCounter
  readonly document: Document.Parsed
  readonly node: unknown
  readonly value: unknown
}

export type Key = string | number

/** Returns the place of the deepest part of a path that exists. */
export const placeAt = (part: Part, path: readonly Key[]): Place =>
  deepest(
    part,
    path.map((key) => [key]),
  )

/** Does the same for a path of the API: manifests have keys in camel case, and references beside the keys. */
export function placeOfPath(part: Part, path: string): Place {
  const [first, ...rest] = keysOf(path)
  if (first === 'labels') return placeAt(part, ['metadata', first, ...rest.map(labelled)])
  return deepest(part, [['spec'], ...keysOf(path).map(namesOf)])
}

const labelled = (key: Key) => `label.${RESOURCE_GROUP}/${key}`

function namesOf(key: Key): readonly Key[] {
  if (typeof key === 'number') return [key]
  const camel = camelCase(key)
  return [key, camel, secretKeyBeside(camel)]
}

/** Returns the place that is reached by the first of each step's keys that exists, as far as one does. */
function deepest(part: Part, steps: readonly (readonly Key[])[]): Place {
  let node = part.node
  let start = startOf(node)
  for (const keys of steps) {
    const [child, at] = childAt(part, node, keys)
    if (at === null) break
    node = child
    start = at
  }
  return placeOfOffset(part, start)
}

/** Returns the place of a character. */
export function placeOfOffset({ file, lines }: Pick<Part, 'file' | 'lines'>, offset: number): Place {
  const { line, col } = lines.linePos(offset)
  // A text that could not be read has no lines.
  return { file, line: Math.max(1, line), column: Math.max(1, col) }
}

/** Returns the keys of a path as `joinPath` writes it. */
const keysOf = (path: string): Key[] =>
  [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = '']) =>
    index !== undefined ? Number(index) : quoted !== undefined ? (JSON.parse(quoted) as string) : name,
  )

/** Returns the child under the first of these keys that exists, and where it begins: at its key, in a map. */
function childAt(part: Part, node: unknown, keys: readonly Key[]): [child: unknown, start: number | null] {
  const whole = resolved(part, node)
  for (const key of keys) {
    if (isSeq(whole) && typeof key === 'number') {
      const item = whole.items[key]
      if (item !== undefined) return [item, startOf(item)]
    }
    if (!isMap(whole)) continue
    const pair = whole.items.find(({ key: named }) => isScalar(named) && String(named.value) === String(key))
    if (pair) return [pair.value, startOf(pair.key)]
  }
  return [null, null]
}

/** Returns the node of a key, or null. */
export const childOf = (part: Part, node: unknown, key: Key): unknown => childAt(part, node, [key])[0]

/** Returns the node that an alias stands for. */
const resolved = (part: Part, node: unknown): unknown =>
  isNode(node) && 'resolve' in node && typeof node.resolve === 'function'
    ? (node.resolve as (document: Document) => unknown)(part.document)
    : node

/** Returns where a node begins in its text. */
export const startOf = (node: unknown): number => (isNode(node) ? ((node as ParsedNode).range?.[0] ?? 0) : 0)
