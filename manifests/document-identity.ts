import {
  DEFAULT_NAMESPACE,
  isManifestName,
  isResourceName,
  keyOfIdentity,
} from '../core/custom-resource/resource-name.ts'
import { unknownKey } from '../schema/validation/issue.ts'
import { type Fault, type Found, IN_QUOTES, isObject } from './found.ts'
import { type Part, placeAt } from './places.ts'

/** The keys of `metadata` that a person writes. */
const METADATA = ['name', 'namespace', 'labels', 'annotations']
/** Those that an API server knows, or writes: an export of kubectl has them, and they mean nothing here. */
const OTHER_METADATA: ReadonlySet<string> = new Set([
  'clusterName',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'initializers',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
])

function noteUnknown(metadata: Readonly<Record<string, unknown>>, fault: Fault): void {
  for (const key of Object.keys(metadata))
    if (!METADATA.includes(key) && !OTHER_METADATA.has(key))
      fault(['metadata', key], unknownKey('metadata', key, METADATA).message)
}

/** Adds a fault for each label and annotation that is not text. */
function noteTexts(metadata: Readonly<Record<string, unknown>>, fault: Fault): void {
  for (const key of ['labels', 'annotations'] as const) {
    const given = metadata[key] ?? {}
    if (!isObject(given)) {
      fault(['metadata', key], 'must be an object')
      continue
    }
    for (const [each, text] of Object.entries(given))
      if (typeof text !== 'string') fault(['metadata', key, each], IN_QUOTES)
  }
}

/** What stands for a name that is not valid. */
const UNNAMED = 'unnamed'

/** Returns namespace and name of a document, with a fault where one is not valid. No two may have the same. */
export function identityOf(part: Part, found: Found, fault: Fault) {
  const { metadata, kind } = part.value as { readonly metadata?: unknown; readonly kind: string }
  if (!isObject(metadata)) {
    fault(['metadata'], 'must be an object with a name')
    return { metadata: {}, namespace: DEFAULT_NAMESPACE, name: UNNAMED, reference: withoutName(part) }
  }
  noteUnknown(metadata, fault)
  const { name } = metadata
  // What a template leaves empty is null. kubectl takes it for the namespace of the context.
  const namespace = metadata['namespace'] ?? DEFAULT_NAMESPACE
  const isNamed = typeof name === 'string' && isManifestName(name)
  const isPlaced = typeof namespace === 'string' && isResourceName(namespace)
  if (!isNamed) fault(['metadata', 'name'], `${ofName(name)}, as in blue-kettle`)
  if (!isPlaced) fault(['metadata', 'namespace'], ofNamespace(namespace))
  noteTexts(metadata, fault)
  const reference = referenceOf(part, name, namespace)
  if (!isNamed || !isPlaced)
    return { metadata, namespace: isPlaced ? namespace : DEFAULT_NAMESPACE, name: isNamed ? name : UNNAMED, reference }
  const id = `${kind} ${namespace}/${name}`
  const first = found.seen.get(id)
  if (first) fault(['metadata', 'name'], `is used twice: ${id} is in ${first.file}:${first.line} already`)
  else found.seen.set(id, placeAt(part, []))
  return { metadata, namespace, name, reference }
}

function referenceOf(part: Part, name: unknown, namespace: unknown): string {
  return typeof name === 'string' && typeof namespace === 'string'
    ? keyOfIdentity({ namespace, name })
    : withoutName(part)
}

function withoutName(part: Part): string {
  const { file, line } = placeAt(part, [])
  return `the one at ${file}:${line}, which has no name`
}

/** Returns what is wrong with a name. */
function ofName(name: unknown): string {
  if (name === undefined || name === null) return 'is required'
  return typeof name === 'string' ? 'must have lower-case letters, digits, "-" and "." only' : IN_QUOTES
}

const ofNamespace = (namespace: unknown): string =>
  typeof namespace === 'string' ? 'must have at most 63 lower-case letters, digits and "-"' : IN_QUOTES
