import { isUtf8 } from 'node:buffer'
import { type Document, LineCounter, parseAllDocuments } from 'yaml'
import { ADOPT, labelsOf, runRequestOf, TEAM } from '../core/custom-resource/annotations.ts'
import type { Labels } from '../schema/monitor/labels.ts'
import {
  MONITOR_RESOURCE,
  RESOURCE_API,
  RESOURCE_GROUP,
  type ResourceKind,
  SERP_MONITOR_RESOURCE,
} from '../schema/resource-kind.ts'
import { joinPath, unknownKey } from '../schema/validation/issue.ts'
import { type Fault, identityOf, IN_QUOTES, isObject } from './identity-of.ts'
import {
  childOf,
  fileFault,
  type Key,
  type ManifestFault,
  type Part,
  type Place,
  placeAt,
  placeOfOffset,
  placeOfPath,
  startOf,
} from './places.ts'

/** A text to read manifests from. */
export interface ManifestText {
  /** The name that faults give: a path, or `standard input`. */
  readonly file: string
  readonly text: string
}

/** A manifest of a monitor. Its spec has not been checked yet: see `resolve-manifest.ts`. */
export interface Manifest {
  readonly resource: ResourceKind
  readonly namespace: string
  readonly name: string
  /** Namespace and name for people, as they were written, valid or not; the place of one without a name. */
  readonly reference: string
  readonly labels: Labels
  /** The id of the monitor that the manifest takes over. */
  readonly adopts: string | null
  /** Each new value asks for a run. */
  readonly runRequest: string | null
  readonly suspend: boolean
  /** In the resource's spelling, with references to Secrets, without `suspend`. */
  readonly spec: Readonly<Record<string, unknown>>
  readonly place: Place
  /** What is wrong with it outside of its spec. Where anything is, it is among the flawed ones. */
  readonly faults: readonly ManifestFault[]
  /** Returns where the value is that the API calls so: `extract_config.fields.price`, `labels.env`. */
  placeOf(path: string): Place
  /** Returns where a key of the document is, as in `metadata`, `namespace`. */
  placeOfKey(...keys: readonly string[]): Place
}

/** The values of a Secret, as text. */
export interface SecretManifest {
  readonly namespace: string
  readonly name: string
  readonly values: Readonly<Record<string, string>>
  readonly place: Place
}

/** A namespace of a cluster. */
export interface NamespaceManifest {
  readonly name: string
  /** What its label names its team by, which may be anything; undefined without the label. */
  readonly team: unknown
  /** The place of the label, or of the document. */
  readonly place: Place
}

/** Everything that texts declare. */
interface Manifests {
  readonly manifests: readonly Manifest[]
  /**
   * Manifests with faults outside of their specs, such as one without a name. They are judged so that a person learns
   * all faults at once, and never applied.
   */
  readonly flawed: readonly Manifest[]
  readonly secrets: readonly SecretManifest[]
  /** They are among `skipped` too. */
  readonly namespaces: readonly NamespaceManifest[]
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
  const found: Found = {
    manifests: [],
    flawed: [],
    secrets: [],
    namespaces: [],
    skipped: [],
    faults: [],
    empty: [],
    seen: new Map(),
  }
  for (const text of texts) readText(text, found)
  const { seen: _, ...read } = found
  return read
}

interface Found {
  readonly manifests: Manifest[]
  readonly flawed: Manifest[]
  readonly secrets: SecretManifest[]
  readonly namespaces: NamespaceManifest[]
  readonly skipped: Skipped[]
  readonly faults: ManifestFault[]
  readonly empty: ManifestFault[]
  /** The first document of each name. */
  readonly seen: Map<string, Place>
}

function readText({ file, text }: ManifestText, found: Found): void {
  if (text.length > MOST_BYTES) return void found.faults.push(fileFault(file, TOO_LARGE))
  if (text.trim() === '')
    return void found.empty.push(fileFault(file, 'is empty: delete the file, or write a comment into it'))
  const lines = new LineCounter()
  const fault = (offset: number, message: string) =>
    void found.faults.push({ ...placeOfOffset({ file, lines }, offset), path: '', message })
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
    if (error instanceof RangeError) return fault(0, TOO_DEEP)
    throw error
  }
  for (const document of documents) {
    // The others mostly follow from the first.
    const [error] = document.errors
    if (error) {
      const isDeep = /call stack|stack overflow/i.test(error.message)
      fault(error.pos[0], isDeep ? TOO_DEEP : `is not YAML: ${error.message}`)
    }
    if (error || document.contents === null) continue
    const value = valueOf(document, fault)
    // A document of comments alone says nothing.
    if (value === undefined || value === null) continue
    readDocument({ file, lines, document, node: document.contents, value }, found)
  }
}

function valueOf(document: Document.Parsed, fault: (offset: number, message: string) => void) {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown
  } catch (error) {
    // An alias without its anchor, or aliases of aliases that would fill the memory.
    if (!(error instanceof Error) || !['ReferenceError', 'RangeError'].includes(error.name)) throw error
    const message = error.name === 'RangeError' ? TOO_DEEP : `is not YAML: ${error.message}`
    fault(startOf(document.contents), message)
    return null
  }
}

function readDocument(part: Part, found: Found): void {
  const { value } = part
  const fault = (path: readonly Key[], message: string) =>
    void found.faults.push({
      ...placeAt(part, path),
      path: joinPath('', ...path),
      message: `${spelled(path)}${message}`,
    })
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
  readNamespace(part, found)
}

/** Reads a document of another kind, which may be a Namespace. */
function readNamespace(part: Part, found: Found): void {
  const { apiVersion, kind, metadata } = part.value as Readonly<Record<string, unknown>>
  const name = nameIn(metadata)
  if (apiVersion !== 'v1' || kind !== 'Namespace' || name === null || !isObject(metadata)) return
  const team = isObject(metadata['labels']) ? metadata['labels'][TEAM] : undefined
  found.namespaces.push({ name, team, place: placeAt(part, team === undefined ? [] : ['metadata', 'labels', TEAM]) })
}

const nameIn = (metadata: unknown): string | null =>
  isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : null

function readList(part: Part, found: Found, fault: Fault): void {
  const { items } = part.value as Readonly<Record<string, unknown>>
  if (!Array.isArray(items)) return fault(['items'], 'must be a list')
  for (const [index, value] of items.entries())
    readDocument({ ...part, node: childOf(part, childOf(part, part.node, 'items'), index), value }, found)
}

/** The keys of a resource that a person writes. */
const KEYS = ['apiVersion', 'kind', 'metadata', 'spec']
/** Keys of a resource that the API server writes: an export of kubectl has them, and they mean nothing here. */
const WRITTEN_BY_SERVER: ReadonlySet<string> = new Set(['status'])

function readMonitor(part: Part, resource: ResourceKind, found: Found, fault: Fault): void {
  const value = part.value as Readonly<Record<string, unknown>>
  const before = found.faults.length
  for (const key of Object.keys(value))
    if (!KEYS.includes(key) && !WRITTEN_BY_SERVER.has(key)) fault([key], unknownKey('', key, KEYS).message)
  const identity = identityOf(part, found.seen, fault)
  const { spec } = value
  if (!isObject(spec)) fault(['spec'], 'must be an object')
  const { suspend = false, ...given } = isObject(spec) ? spec : {}
  if (typeof suspend !== 'boolean') fault(['spec', 'suspend'], 'must be true or false')
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => ELSEWHERE[key] === undefined))
  // The API has these keys, and a manifest says the same elsewhere.
  for (const [key, instead] of Object.entries(ELSEWHERE))
    if (key in given) fault(['spec', key], `is not a known key${instead}`)
  if (!isObject(spec)) return
  const { metadata, ...named } = identity
  const annotations = textsOf(metadata['annotations'])
  const isFlawed = found.faults.length > before
  found[isFlawed ? 'flawed' : 'manifests'].push({
    resource,
    ...named,
    labels: labelsOf(textsOf(metadata['labels'])),
    adopts: annotations[ADOPT] ?? null,
    runRequest: runRequestOf(annotations),
    suspend: suspend === true,
    spec: rest,
    place: placeAt(part, []),
    faults: found.faults.slice(before),
    placeOf: (path) => placeOfPath(part, path),
    placeOfKey: (...keys) => placeAt(part, keys),
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
  const identity = identityOf(part, found.seen, fault)
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
  if (found.faults.length > before) return
  const { namespace, name } = identity
  found.secrets.push({ namespace, name, values, place: placeAt(part, []) })
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)
/** A line break at the end comes from `echo` and from files, and is never part of an address or a header. */
const withoutBreak = (text: string): string => text.replace(/\r?\n$/, '')

/** Returns the entries that are texts. */
const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter((entry): entry is [string, string] => {
      const [, text] = entry
      return typeof text === 'string'
    }),
  )

const spelled = (path: readonly Key[]): string => (path.length === 0 ? '' : `${joinPath('', ...path)} `)
