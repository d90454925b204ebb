import { ADOPT, labelsOf, runRequestOf } from '../core/custom-resource/annotations.ts'
import { RESOURCE_API, type ResourceKind } from '../schema/resource-kind.ts'
import { unknownKey } from '../schema/validation/issue.ts'
import { identityOf } from './document-identity.ts'
import { type Fault, type Found, isObject, textsOf } from './found.ts'
import { noteOwnKeys } from './own-keys.ts'
import { type Part, placeAt, placeOfPath } from './places.ts'

/** The keys of a resource that a person writes. */
const KEYS = ['apiVersion', 'kind', 'metadata', 'spec']

/** Keys of a resource that the API server writes: an export of kubectl has them, and they mean nothing here. */
const WRITTEN_BY_SERVER: ReadonlySet<string> = new Set(['status'])

export function readMonitor(part: Part, resource: ResourceKind, found: Found, fault: Fault): void {
  const value = part.value as Readonly<Record<string, unknown>>
  const before = found.faults.length
  if (typeof value['apiVersion'] !== 'string') fault(['apiVersion'], `is required, as in ${RESOURCE_API}`)
  for (const key of Object.keys(value))
    if (!KEYS.includes(key) && !WRITTEN_BY_SERVER.has(key)) fault([key], unknownKey('', key, KEYS).message)
  const identity = identityOf(part, found, fault)
  noteOwnKeys(identity.metadata, fault)
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
