import { isUuid } from '../../../core/is-uuid.ts'
import type { ManifestFault } from '../../../manifests/places.ts'
import type { Labels } from '../../../schema/monitor/labels.ts'
import type { MonitorKind } from '../../../schema/resource-kind.ts'
import { printable } from '../../printable.ts'
import { listRecords, REMOTE_KINDS, type RemoteRecord, SUSPENDED_LABEL } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import { RemoteError } from '../remote-error.ts'
import { type Difference, differencesOf } from './differences.ts'
import { inLines, type Wanted } from './read-input.ts'

/** What is to be done for one record. */
export type Step = { readonly kind: MonitorKind; readonly key: string } & (
  | { readonly action: 'create'; readonly wanted: Wanted }
  | {
      readonly action: 'change' | 'adopt'
      readonly wanted: Wanted
      readonly id: string
      readonly patch: Readonly<Record<string, unknown>>
      readonly differences: readonly Difference[]
      readonly pausing: 'pause' | 'resume' | null
    }
  | { readonly action: 'keep'; readonly wanted: Wanted; readonly id: string }
  | { readonly action: 'delete'; readonly id: string; readonly name: string }
)

/** Up to so many manifests, each record is asked for; of more, all records are listed. */
const FEW = 20

/**
 * Compares what manifests declare with the records of the server. Throws where a record belongs to somebody else:
 * nothing has been changed by then.
 *
 * @param prunes the label of the records that are deleted when no manifest declares them, or null
 */
export async function planOf(
  client: RemoteClient,
  all: readonly Wanted[],
  prunes: Readonly<Record<string, string>> | null,
): Promise<readonly Step[]> {
  const records = await recordsOf(client, all)
  const faults: ManifestFault[] = []
  const steps: Step[] = []
  const seen = new Set<string>()
  for (const wanted of all) {
    const step = await stepOf(client, wanted, records)
    if ('fault' in step) faults.push({ ...wanted.manifest.place, path: '', message: step.fault })
    else {
      if ('id' in step && seen.has(step.id))
        faults.push({
          ...wanted.manifest.place,
          path: '',
          message: `another manifest of the input has the record ${step.id} too`,
        })
      if ('id' in step) seen.add(step.id)
      steps.push(step)
    }
  }
  if (faults.length > 0) throw new RemoteError(inLines('nothing was changed:', faults))
  return prunes === null ? steps : [...steps, ...(await pruned(client, prunes, seen))]
}

const refOf = (kind: MonitorKind, key: string) => `${kind} ${key}`

/** Returns the records of external keys that may be those of manifests. */
async function recordsOf(client: RemoteClient, all: readonly Wanted[]): Promise<ReadonlyMap<string, RemoteRecord>> {
  const found: RemoteRecord[] = []
  if (all.length > FEW) found.push(...(await listRecords(client, null)))
  else
    for (const { manifest, key } of all)
      found.push(...(await listRecords(client, manifest.resource.declares, { external_key: key })))
  return new Map(found.map((one) => [refOf(one.kind, one.record.external_key ?? ''), one]))
}

async function stepOf(
  client: RemoteClient,
  wanted: Wanted,
  records: ReadonlyMap<string, RemoteRecord>,
): Promise<Step | { readonly fault: string }> {
  const { manifest, key, spec } = wanted
  const kind = manifest.resource.declares
  const known = records.get(refOf(kind, key))
  const adopted = known || manifest.adopts === null ? null : await adoptedBy(client, kind, manifest.adopts)
  if (!known && manifest.adopts !== null && !adopted)
    return { fault: `adopts "${manifest.adopts}", and there is no such ${manifest.resource.singular}` }
  const record = (known ?? adopted)?.record
  if (!record) return { action: 'create', kind, key, wanted }
  if (record.managed_by !== 'api') return { fault: `${elsewhere(record)}: change it there` }
  if (adopted && record.external_key !== null)
    return { fault: `adopts ${record.id}, which belongs to ${record.external_key}` }
  const { patch, differences } = differencesOf({ ...record }, spec)
  const pausing = pausingOf(record, manifest.suspend)
  const { id } = record
  if (differences.length === 0 && pausing === null) return { action: 'keep', kind, key, wanted, id }
  return { action: adopted ? 'adopt' : 'change', kind, key, wanted, id, patch, differences, pausing }
}

const elsewhere = ({ managed_by: by, declared_in: file }: RemoteRecord['record']): string =>
  by === 'kubernetes'
    ? 'the record is declared by a resource of a cluster'
    : `the record is declared by ${file === undefined ? 'a file' : `the file ${printable(file)}`} in the folder of ` +
      'tidemark serve --config'

async function adoptedBy(client: RemoteClient, kind: MonitorKind, id: string): Promise<RemoteRecord | null> {
  // The annotation is free text.
  if (!isUuid(id)) return null
  const path = `${REMOTE_KINDS[kind].path}/${id}`
  const record = await client.find<RemoteRecord['record']>({ method: 'GET', path })
  return record && ({ kind, record } as RemoteRecord)
}

/** A monitor that a person has paused stays paused: only one that a manifest has suspended is resumed. */
function pausingOf({ status, labels }: RemoteRecord['record'], suspend: boolean): 'pause' | 'resume' | null {
  if (suspend) return status === 'paused' || status === 'billing_paused' ? null : 'pause'
  return status === 'paused' && Object.hasOwn(labels as Labels, SUSPENDED_LABEL) ? 'resume' : null
}

async function pruned(
  client: RemoteClient,
  label: Readonly<Record<string, string>>,
  kept: ReadonlySet<string>,
): Promise<Step[]> {
  const selector = Object.entries(label).map(([name, value]) => `${name}=${value}`)
  const found = await listRecords(client, null, { label: selector.join(',') })
  return found
    .filter(({ record }) => !kept.has(record.id) && record.managed_by === 'api' && record.external_key !== null)
    .map(({ kind, record }) => ({
      action: 'delete',
      kind,
      key: record.external_key ?? record.id,
      id: record.id,
      name: record.name,
    }))
}
