import { keyOfIdentity } from '../../../core/custom-resource/resource-name.ts'
import { isUuid } from '../../../core/is-uuid.ts'
import { printable } from '../../../core/printable.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import type { ManifestFault } from '../../../manifests/places.ts'
import type { Plan } from '../../../monitors/declared/apply-plan.ts'
import type { JudgedManifest } from '../../../monitors/declared/judge-manifests.ts'
import type { Labels } from '../../../schema/monitor/labels.ts'
import { type MonitorKind, resourceKindOf } from '../../../schema/resource-kind.ts'
import { listRecords, SUSPENDED_LABEL, listPath } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { RemoteRecord } from '../remote-kinds.ts'
import { type Difference, differencesOf } from './differences.ts'

interface Wanted {
  readonly manifest: Manifest
  /** All keys of a record that a manifest says, with their defaults. */
  readonly spec: Readonly<Record<string, unknown>>
}

interface AnyStep {
  readonly kind: MonitorKind
  /** The `external_key` of the record. */
  readonly key: string
  /** How messages name it: `monitor shop/kettle`. */
  readonly resource: string
}

/** What is to be done for a manifest. */
export type WriteStep = AnyStep &
  Wanted &
  (
    | { readonly action: 'create' }
    | {
        readonly action: 'change' | 'adopt'
        readonly id: string
        readonly patch: Readonly<Record<string, unknown>>
        readonly differences: readonly Difference[]
        readonly pausing: 'pause' | 'resume' | null
      }
    | { readonly action: 'keep'; readonly id: string }
  )

/** A record whose manifest is gone. */
export type DeleteStep = AnyStep & { readonly action: 'delete'; readonly id: string }

export type Step = WriteStep | DeleteStep

export const faultOf = ({ manifest }: Pick<Wanted, 'manifest'>, message: string): ManifestFault => ({
  ...manifest.place,
  path: '',
  message,
})

/** Up to so many manifests, each record is asked for; of more, all records are listed. */
const FEW = 20

/**
 * Compares manifests with the records of a server. What belongs to somebody else is a fault.
 *
 * @param prunes the label of the records that are deleted when no manifest declares them, or null
 */
export async function comparedWith(
  client: RemoteClient,
  manifests: readonly JudgedManifest[],
  prunes: Readonly<Record<string, string>> | null,
): Promise<Plan<WriteStep, DeleteStep>> {
  const records = await recordsOf(client, manifests)
  const faults: ManifestFault[] = []
  const all: WriteStep[] = []
  const seen = new Set<string>()
  for (const { manifest, spec } of manifests) {
    const step = await stepOf(client, { manifest, spec: declaredKeys(spec) }, records)
    if ('fault' in step) faults.push(faultOf({ manifest }, step.fault))
    else {
      const id = 'id' in step ? step.id : null
      if (id !== null && seen.has(id))
        faults.push(faultOf(step, `another manifest of the input has the record ${id} too`))
      if (id !== null) seen.add(id)
      all.push(step)
    }
  }
  const isKept = ({ action }: WriteStep) => action === 'keep'
  // Records are compared with the input only when the input itself can be applied.
  const gone = prunes === null || faults.length > 0 ? [] : await goneOf(client, prunes, seen)
  const [steps, kept] = [all.filter((step) => !isKept(step)), all.filter(isKept)]
  return { steps, kept, faults, gone, moved: [], declared: all.length + gone.length }
}

/** A manifest names no template. */
const declaredKeys = (spec: object): Wanted['spec'] =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => key !== 'template_slug'))

const refOf = (kind: MonitorKind, key: string) => `${kind} ${key}`

/** Returns the records of external keys that may be those of manifests. */
async function recordsOf(
  client: RemoteClient,
  all: readonly JudgedManifest[],
): Promise<ReadonlyMap<string, RemoteRecord>> {
  const found: RemoteRecord[] = []
  if (all.length > FEW) found.push(...(await listRecords(client, null)))
  else
    for (const { manifest } of all)
      found.push(...(await listRecords(client, manifest.resource.declares, { external_key: keyOfIdentity(manifest) })))
  return new Map(found.map((one) => [refOf(one.kind, one.record.external_key ?? ''), one]))
}

async function stepOf(
  client: RemoteClient,
  wanted: Wanted,
  records: ReadonlyMap<string, RemoteRecord>,
): Promise<WriteStep | { readonly fault: string }> {
  const { manifest, spec } = wanted
  const of = { ...wanted, ...anyStep(manifest.resource.declares, keyOfIdentity(manifest)) }
  const { kind, key } = of
  const known = records.get(refOf(kind, key))
  const adopted = known || manifest.adopts === null ? null : await adoptedBy(client, kind, manifest.adopts)
  if (!known && manifest.adopts !== null && !adopted)
    return { fault: `adopts "${manifest.adopts}", and there is no such ${manifest.resource.singular}` }
  const record = (known ?? adopted)?.record
  if (!record) return { ...of, action: 'create' }
  if (record.managed_by !== 'api') return { fault: `${elsewhere(record)}: change it there` }
  if (adopted && record.external_key !== null)
    return { fault: `adopts ${record.id}, which belongs to ${record.external_key}` }
  const { patch, differences } = differencesOf({ ...record }, spec)
  const pausing = pausingOf(record, manifest.suspend)
  const { id } = record
  if (differences.length === 0 && pausing === null) return { ...of, action: 'keep', id }
  return { ...of, action: adopted ? 'adopt' : 'change', id, patch, differences, pausing }
}

const anyStep = (kind: MonitorKind, key: string): AnyStep => ({
  kind,
  key,
  resource: `${resourceKindOf(kind).singular} ${printable(key)}`,
})

const elsewhere = ({ managed_by: by, declared_in: file }: RemoteRecord['record']): string =>
  by === 'kubernetes'
    ? 'the record is declared by a resource of a cluster'
    : `the record is declared by ${file === undefined ? 'a file' : `the file ${printable(file)}`} in the folder of ` +
      'tidemark serve --config'

async function adoptedBy(client: RemoteClient, kind: MonitorKind, id: string): Promise<RemoteRecord | null> {
  // The annotation is free text.
  if (!isUuid(id)) return null
  const path = `${listPath(kind)}/${id}`
  const record = await client.find<RemoteRecord['record']>({ method: 'GET', path })
  return record && ({ kind, record } as RemoteRecord)
}

/** A monitor that a person has paused stays paused: only one that a manifest has suspended is resumed. */
function pausingOf({ status, labels }: RemoteRecord['record'], suspend: boolean): 'pause' | 'resume' | null {
  if (suspend) return status === 'paused' || status === 'billing_paused' ? null : 'pause'
  return status === 'paused' && Object.hasOwn(labels as Labels, SUSPENDED_LABEL) ? 'resume' : null
}

/** Returns the records of a label that no manifest has. */
async function goneOf(
  client: RemoteClient,
  label: Readonly<Record<string, string>>,
  kept: ReadonlySet<string>,
): Promise<readonly DeleteStep[]> {
  const selector = Object.entries(label).map(([name, value]) => `${name}=${value}`)
  const found = await listRecords(client, null, { label: selector.join(',') })
  return found
    .filter(({ record }) => !kept.has(record.id) && record.managed_by === 'api' && record.external_key !== null)
    .map(({ kind, record: { id, external_key: key } }) => ({ ...anyStep(kind, key ?? id), action: 'delete', id }))
}
