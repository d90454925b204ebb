import { isUtf8 } from 'node:buffer'
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml'
import { ADOPT, labelsOf, runRequestOf } from '../core/custom-resource/annotations.ts'
import { DEFAULT_NAMESPACE, isManifestName, isResourceName } from '../core/custom-resource/resource-name.ts'
import { camelCase } from '../core/custom-resource/camel-case.ts'
import { secretKeyBeside } from '../core/custom-resource/secret-places.ts'
import type { Labels } from '../schema/monitor/labels.ts'
import {
  MONITOR_RESOURCE,
  RESOURCE_API,
  RESOURCE_GROUP,
  type ResourceKind,
  SERP_MONITOR_RESOURCE,
} from '../schema/resource-kind.ts'
import { joinPath } from '../schema/validation/issue.ts'

/** A text to read manifests from. */
export interface ManifestText {
  /** The name that faults give: a path, or `standard input`. */
  readonly file: string
  readonly text: string
}

/** Where something is, for messages: `monitors/shop.yaml:12`. */
interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** What is wrong with an input, and where. Nothing of the input may be applied then. */
export interface ManifestFault extends Place {
  readonly message: string
}

/** A manifest of a monitor. Its spec has not been checked yet: see `resolve-manifest.ts`. */
export interface Manifest {
  readonly resource: ResourceKind
  readonly namespace: string
  readonly name: string
  readonly labels: Labels
  /** The id of the monitor that the manifest takes over. */
  readonly adopts: string | null
  /** Each new value asks for a run. */
  readonly runRequest: string | null
  readonly suspend: boolean
  /** In the resource's spelling, with references to Secrets, without `suspend`. */
  readonly spec: Readonly<Record<string, unknown>>
  readonly place: Place
  /** Returns where the value is that the API calls so: `extract_config.fields.price`, `labels.env`. */
  placeOf(path: string): Place
}

/** The values of a Secret, as text. */
export interface SecretManifest {
  readonly namespace: string
  readonly name: string
  readonly values: Readonly<Record<string, string>>
  readonly place: Place
}

/** Everything that texts declare. */
interface Manifests {
  readonly manifests: readonly Manifest[]
  readonly secrets: readonly SecretManifest[]
  /** Documents of kinds that are none of ours, such as a Namespace. */
  readonly skipped: readonly Skipped[]
  readonly faults: readonly ManifestFault[]
  /**
   * A fault for each text without a character, where what is not declared is deleted or released: a file whose writing
   * was cut off looks so.
   */
  readonly empty: readonly ManifestFault[]
}

interface Skipped extends Place {
  readonly kind: string
  readonly name: string | null
}

const KINDS: readonly ResourceKind[] = [MONITOR_RESOURCE, SERP_MONITOR_RESOURCE]
const OWN_KINDS: ReadonlySet<string> = new Set(KINDS.flatMap(({ kind }) => [kind, `${kind}List`]))
const LISTS: ReadonlySet<string> = new Set(['List', ...KINDS.map(({ kind }) => `${kind}List`)])
const TOO_DEEP = 'is nested too deeply'
const IN_QUOTES = 'must be a text: write it in quotes'
/** More bytes than a hundred thousand monitors need. */
export const MOST_BYTES = 64 * 1024 * 1024
/** As many monitors of one list may share a value by an anchor. Aliases of aliases are multiplied. */
const MOST_ALIASES = 10_000
export const TOO_LARGE = `is larger than ${MOST_BYTES / 1024 / 1024} MB`

/**
 * Reads manifests from YAML or JSON: several documents in a text, lists, monitors of both kinds, and Secrets. Returns
 * every fault of the texts with its file and line too.
 */
export function readManifests(texts: readonly ManifestText[]): Manifests {
  const found: Found = { manifests: [], secrets: [], skipped: [], faults: [], empty: [], seen: new Map() }
  for (const text of texts) readText(text, found)
  const { seen: _, ...read } = found
  return read
}

interface Found {
  readonly manifests: Manifest[]
  readonly secrets: SecretManifest[]
  readonly skipped: Skipped[]
  readonly faults: ManifestFault[]
  readonly empty: ManifestFault[]
  /** The first document of each name. */
  readonly seen: Map<string, Place>
}

/** A part of a text: its value, its node, and what tells its lines. */
interface Part {
  readonly file: string
  readonly lines: LineCounter
  readonly document: Document.Parsed
  readonly node: unknown
  readonly value: unknown
}

function readText({ file, text }: ManifestText, found: Found): void {
  const fault = (line: number, message: string) => void found.faults.push({ file, line, message })
  if (text.length > MOST_BYTES) return fault(1, TOO_LARGE)
  if (text.trim() === '')
    return void found.empty.push({ file, line: 1, message: 'is empty: delete the file, or write a comment into it' })
  const lines = new LineCounter()
  let documents: readonly Document.Parsed[]
  try {
    // Files that were joined have marks of their byte order in between.
    const parsed = parseAllDocuments(text.replaceAll(/^\ufeff/gm, ''), {
      lineCounter: lines,
      merge: true,
      prettyErrors: false,
    })
    documents = Array.isArray(parsed) ? parsed : []
  } catch (error) {
    // The parser follows each level of what is nested, until the stack ends.
    if (error instanceof RangeError) return fault(1, TOO_DEEP)
    throw error
  }
  for (const document of documents) {
    // The others mostly follow from the first.
    const [error] = document.errors
    if (error) {
      const isDeep = /call stack|stack overflow/i.test(error.message)
      fault(lines.linePos(error.pos[0]).line, isDeep ? TOO_DEEP : `is not YAML: ${error.message}`)
    }
    if (error || document.contents === null) continue
    const value = valueOf(document, lines, fault)
    // A document of comments alone says nothing.
    if (value === undefined || value === null) continue
    readDocument({ file, lines, document, node: document.contents, value }, found)
  }
}

function valueOf(document: Document.Parsed, lines: LineCounter, fault: (line: number, message: string) => void) {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown
  } catch (error) {
    // An alias without its anchor, or aliases of aliases that would fill the memory.
    if (!(error instanceof Error) || !['ReferenceError', 'RangeError'].includes(error.name)) throw error
    const message = error.name === 'RangeError' ? TOO_DEEP : `is not YAML: ${error.message}`
    fault(lines.linePos(startOf(document.contents)).line, message)
    return null
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function readDocument(part: Part, found: Found): void {
  const { value } = part
  const fault = (path: readonly Key[], message: string) =>
    void found.faults.push({ ...placeAt(part, path), message: `${spelled(path)}${message}` })
  if (!isObject(value)) return fault([], 'must be an object with apiVersion, kind, metadata and spec')
  const { apiVersion, kind } = value
  if (typeof kind !== 'string' || kind === '') return fault(['kind'], 'is required: Monitor, SerpMonitor or Secret')
  if (typeof apiVersion !== 'string') return fault(['apiVersion'], `is required, as in ${RESOURCE_API}`)
  const isOurs = apiVersion.startsWith(`${RESOURCE_GROUP}/`)
  if (LISTS.has(kind) && (isOurs || apiVersion === 'v1')) return readList(part, found, fault)
  if (apiVersion === 'v1' && kind === 'Secret') return readSecret(part, found, fault)
  const resource = KINDS.find((one) => one.kind === kind)
  if (resource && apiVersion === RESOURCE_API) return readMonitor(part, resource, found, fault)
  // A slip in the group must not take a monitor out of what is declared.
  if (OWN_KINDS.has(kind)) return fault(['apiVersion'], `must be ${RESOURCE_API}, and is ${apiVersion}`)
  if (isOurs) return fault(['kind'], `must be Monitor or SerpMonitor, and is ${kind}`)
  found.skipped.push({ ...placeAt(part, []), kind, name: nameIn(value['metadata']) })
}

const nameIn = (metadata: unknown): string | null =>
  isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : null

type Key = string | number
type Fault = (path: readonly Key[], message: string) => void

function readList(part: Part, found: Found, fault: Fault): void {
  const { items } = part.value as Readonly<Record<string, unknown>>
  if (!Array.isArray(items)) return fault(['items'], 'must be a list')
  for (const [index, value] of items.entries())
    readDocument({ ...part, node: childOf(part, childOf(part, part.node, 'items'), index), value }, found)
}

/** Keys of a resource that the API server writes: an export of kubectl has them, and they mean nothing here. */
const WRITTEN_BY_SERVER: ReadonlySet<string> = new Set(['status'])

function readMonitor(part: Part, resource: ResourceKind, found: Found, fault: Fault): void {
  const value = part.value as Readonly<Record<string, unknown>>
  const before = found.faults.length
  for (const key of Object.keys(value))
    if (!['apiVersion', 'kind', 'metadata', 'spec'].includes(key) && !WRITTEN_BY_SERVER.has(key))
      fault([key], 'is not a known key')
  const identity = identityOf(part, found, fault)
  const { spec } = value
  if (!isObject(spec)) fault(['spec'], 'must be an object')
  const { suspend = false, ...rest } = isObject(spec) ? spec : {}
  if (typeof suspend !== 'boolean') fault(['spec', 'suspend'], 'must be true or false')
  // The API has these keys, and a manifest says the same elsewhere.
  for (const [key, instead] of Object.entries(ELSEWHERE))
    if (key in rest) fault(['spec', key], `is not a known key${instead}`)
  if (!identity || found.faults.length > before) return
  const { metadata, ...named } = identity
  const annotations = textsOf(metadata['annotations'])
  found.manifests.push({
    resource,
    ...named,
    labels: labelsOf(textsOf(metadata['labels'])),
    adopts: annotations[ADOPT] ?? null,
    runRequest: runRequestOf(annotations),
    suspend: suspend === true,
    spec: rest,
    place: placeAt(part, []),
    placeOf: (path) => placeOfPath(part, path),
  })
}

const ELSEWHERE: Readonly<Record<string, string>> = {
  labels: ': write labels with the prefix label.tidemark.dev/ into metadata.labels',
  externalKey: ': namespace and name identify the monitor',
  external_key: ': namespace and name identify the monitor',
  templateSlug: '',
  template_slug: '',
}

function readSecret(part: Part, found: Found, fault: Fault): void {
  const value = part.value as Readonly<Record<string, unknown>>
  const before = found.faults.length
  const identity = identityOf(part, found, fault)
  const values: Record<string, string> = {}
  for (const key of ['data', 'stringData'] as const) {
    const given = value[key] ?? {}
    if (!isObject(given)) {
      fault([key], 'must be an object')
      continue
    }
    for (const [name, text] of Object.entries(given))
      if (typeof text !== 'string') fault([key, name], IN_QUOTES)
      else if (key === 'data' && !isBase64(text)) fault([key, name], 'must be base64: write plain text in stringData')
      else if (key === 'data' && !isUtf8(Buffer.from(text, 'base64'))) fault([key, name], 'must be base64 of a text')
      else values[name] = withoutBreak(key === 'data' ? Buffer.from(text, 'base64').toString('utf8') : text)
  }
  if (!identity || found.faults.length > before) return
  const { namespace, name } = identity
  found.secrets.push({ namespace, name, values, place: placeAt(part, []) })
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)
/** A line break at the end comes from `echo` and from files, and is never part of an address or a header. */
const withoutBreak = (text: string): string => text.replace(/\r?\n$/, '')

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  isObject(value) ? (value as Readonly<Record<string, string>>) : {}

/** Returns namespace and name of a document, or null with a fault. Two documents must not have the same. */
function identityOf(part: Part, found: Found, fault: Fault) {
  const { metadata, kind } = part.value as { readonly metadata?: unknown; readonly kind: string }
  if (!isObject(metadata)) {
    fault(['metadata'], 'must be an object with a name')
    return null
  }
  const { name } = metadata
  // What a template leaves empty is null. kubectl takes it for the namespace of the context.
  const namespace = metadata['namespace'] ?? DEFAULT_NAMESPACE
  if (typeof name !== 'string' || !isManifestName(name)) {
    fault(['metadata', 'name'], `${ofName(name)}, as in blue-kettle`)
    return null
  }
  if (typeof namespace !== 'string' || !isResourceName(namespace)) {
    fault(['metadata', 'namespace'], ofNamespace(namespace))
    return null
  }
  for (const key of ['labels', 'annotations'] as const)
    if (!isObject(metadata[key] ?? {})) fault(['metadata', key], 'must be an object')
  for (const [key, each, text] of ['labels', 'annotations'].flatMap((key) =>
    Object.entries(textsOf(metadata[key])).map(([each, text]) => [key, each, text] as const),
  ))
    if (typeof text !== 'string') fault(['metadata', key, each], IN_QUOTES)
  const id = `${kind} ${namespace}/${name}`
  const first = found.seen.get(id)
  if (first) {
    fault(['metadata', 'name'], `is used twice: ${id} is in ${first.file}:${first.line} already`)
    return null
  }
  found.seen.set(id, placeAt(part, []))
  return { metadata, namespace, name }
}

/** Returns what is wrong with a name. */
function ofName(name: unknown): string {
  if (name === undefined || name === null) return 'is required'
  return typeof name === 'string' ? 'must have lower-case letters, digits, "-" and "." only' : IN_QUOTES
}

const ofNamespace = (namespace: unknown): string =>
  typeof namespace === 'string' ? 'must have at most 63 lower-case letters, digits and "-"' : IN_QUOTES

const spelled = (path: readonly Key[]): string => (path.length === 0 ? '' : `${joinPath('', ...path)} `)

/** Returns the place of the deepest part of a path that is there. */
function placeAt(part: Part, path: readonly Key[]): Place {
  let node = part.node
  let start = startOf(node)
  for (const key of path) {
    const [child, at] = childAt(part, node, [key])
    if (at === null) break
    node = child
    start = at
  }
  return { file: part.file, line: part.lines.linePos(start).line }
}

/** Does the same for a path of the API: manifests have keys in camel case, and references beside the keys. */
function placeOfPath(part: Part, path: string): Place {
  const [first, ...rest] = keysOf(path)
  const keys = first === 'labels' ? ['metadata', first, ...rest.map((key) => `label.${RESOURCE_GROUP}/${key}`)] : null
  let node = part.node
  let start = startOf(node)
  for (const key of keys ?? ['spec', ...(first === undefined ? [] : [first]), ...rest]) {
    const camel = typeof key === 'string' ? camelCase(key) : key
    const names = typeof camel === 'string' ? [key, camel, secretKeyBeside(camel)] : [camel]
    const [child, at] = childAt(part, node, names)
    if (at === null) break
    node = child
    start = at
  }
  return { file: part.file, line: part.lines.linePos(start).line }
}

/** Returns the keys of a path as `joinPath` writes it. */
const keysOf = (path: string): Key[] =>
  [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(([, index, quoted, name = '']) =>
    index !== undefined ? Number(index) : quoted !== undefined ? (JSON.parse(quoted) as string) : name,
  )

/** Returns the child under the first of these keys that is there, and where it begins: at its key, in a map. */
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

const childOf = (part: Part, node: unknown, key: Key): unknown => childAt(part, node, [key])[0]

/** Returns the node that an alias stands for. */
const resolved = (part: Part, node: unknown): unknown =>
  isNode(node) && 'resolve' in node && typeof node.resolve === 'function'
    ? (node.resolve as (document: Document) => unknown)(part.document)
    : node

const startOf = (node: unknown): number => (isNode(node) ? ((node as ParsedNode).range?.[0] ?? 0) : 0)
