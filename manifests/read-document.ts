import { TEAM } from '../core/custom-resource/annotations.ts'
import { RESOURCE_API, RESOURCE_GROUP, RESOURCE_KINDS } from '../schema/resource-kind.ts'
import { joinPath } from '../schema/validation/issue.ts'
import { type Fault, type Found, isObject, spelled } from './found.ts'
import { childOf, type Key, type Part, placeAt } from './places.ts'
import { readMonitor } from './read-monitor.ts'
import { readSecret } from './read-secret.ts'

const OWN_KINDS: ReadonlySet<string> = new Set(RESOURCE_KINDS.flatMap(({ kind }) => [kind, `${kind}List`]))
const LISTS: ReadonlySet<string> = new Set(['List', ...RESOURCE_KINDS.map(({ kind }) => `${kind}List`)])

export function readDocument(part: Part, found: Found): void {
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
  const resource = RESOURCE_KINDS.find((one) => one.kind === kind)
  if (resource && (apiVersion === RESOURCE_API || typeof apiVersion !== 'string'))
    return readMonitor(part, resource, found, fault)
  if (typeof apiVersion !== 'string') return fault(['apiVersion'], `is required, as in ${RESOURCE_API}`)
  const isOurs = apiVersion.startsWith(`${RESOURCE_GROUP}/`)
  if (LISTS.has(kind) && (isOurs || apiVersion === 'v1')) return readList(part, found, fault)
  if (apiVersion === 'v1' && kind === 'Secret') return readSecret(part, found, fault)
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
