import type { Manifest } from '../../manifests/manifest.ts'
import type { ManifestFault } from '../../manifests/places.ts'
import { faultsOf } from '../../manifests/resolve-manifest.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import {
  type DeclaredRow,
  declaredRecords,
  FILES,
  type ResourceIdentity,
} from '../../store/monitors/monitor-resource.ts'
import type { MonitorContext } from '../context.ts'
import { kindCalled } from '../kinds/kinds.ts'
import { laterKeysText } from '../later-keys.ts'
import { isolationRefused, overStorageText } from '../outcome.ts'
import { hashOf, isApplied } from './applied-state.ts'
import type { DeclaredRecords } from './apply-plan.ts'
import { applyResources } from './apply-resource.ts'
import type { ApplyOutcome, Declaration } from './declaration.ts'
import { deleteDeclared, releaseResource } from './end-declared.ts'
import type { JudgedManifest } from './judge-manifests.ts'

/** What manifests of a folder are applied with. */
export interface FolderOfManifests {
  readonly team: { readonly id: string; readonly owner_user_id: string }
  /** Makes the hash of what was applied useless to a person who reads the database: it covers the values of Secrets. */
  readonly hashKey: Buffer
}

/** A manifest, and what its resource declares. */
interface Declared {
  readonly manifest: Manifest
  readonly declaration: Declaration
}

interface Missed {
  readonly resource: string
  readonly record: DeclaredRow
}

/** A manifest that was applied. */
export interface Stored {
  readonly manifest: Manifest
  readonly outcome: Extract<ApplyOutcome, { kind: 'applied' }>
}

/** The records of a team that a folder of manifests declares. */
interface StoredRecords extends DeclaredRecords<Declared, Missed> {
  /** What was written. */
  readonly stored: readonly Stored[]
}

/** Manifests that one transaction applies. */
const BATCH = 100

/** Returns the records of a team as a folder of manifests declares them. Applying twice changes nothing. */
export function createStoredRecords(context: MonitorContext, folder: FolderOfManifests): StoredRecords {
  const stored: Stored[] = []
  return {
    stored,
    async compare(manifests) {
      const known = new Map((await declaredRecords(context.store, FILES)).map((record) => [nameOf(record), record]))
      const all = manifests.map((judged) => declaredBy(judged, folder, known))
      const { kept = [], news = [] } = Object.groupBy(all, ({ declaration: { teamId, resource, state } }) => {
        const record = known.get(nameOf(resource))
        return record?.team_id === teamId && isApplied(state, record) ? 'kept' : 'news'
      })
      const { allowed, refused } = await withoutPods(context, news)
      return { steps: allowed, kept, faults: refused, ...missedOf(known, all) }
    },
    async write(steps) {
      const faults: ManifestFault[] = []
      for (let from = 0; from < steps.length; from += BATCH) {
        const batch = steps.slice(from, from + BATCH)
        const outcomes = await applyResources(
          context,
          batch.map(({ declaration }) => declaration),
        )
        for (const [index, { manifest }] of batch.entries()) {
          const outcome = outcomes[index]
          if (outcome?.kind === 'applied') stored.push({ manifest, outcome })
          else if (outcome) faults.push(...refusalsOf(outcome, manifest))
        }
      }
      return faults
    },
    async end({ record: { kind, namespace, name } }, how) {
      const end = how === 'delete' ? deleteDeclared : releaseResource
      await end(context, { actor: SYSTEM, resource: { clusterId: FILES, kind, namespace, name } })
      return true
    },
  }
}

function declaredBy(
  { manifest, spec }: JudgedManifest,
  { team, hashKey }: FolderOfManifests,
  known: ReadonlyMap<string, DeclaredRow>,
): Declared {
  const {
    resource: { declares: kind },
    namespace,
    name,
    suspend,
    adopts,
    runRequest,
    place,
  } = manifest
  const resource = { clusterId: FILES, kind, namespace, name }
  const hash = hashOf(hashKey, [team.id, spec, suspend, place.file])
  // A manifest that asks for no run leaves the request that was followed last as it is.
  const lastRequest = runRequest ?? known.get(nameOf(resource))?.last_request ?? null
  const declaration = {
    teamId: team.id,
    actor: SYSTEM,
    userId: team.owner_user_id,
    resource,
    // A file has neither a uid nor a generation.
    state: { uid: '', generation: 0, hash, lastRequest, file: place.file },
    spec,
    suspend,
    adopts,
  }
  return { manifest, declaration }
}

/** Leaves out manifests that ask for their own pods where nobody starts any. They are read again with the folder. */
async function withoutPods({ store }: MonitorContext, news: readonly Declared[]) {
  const isIsolated = ({ declaration }: Declared) => (declaration.spec as Partial<MonitorSpec>).isolation === 'pod'
  const why = news.some(isIsolated) ? await isolationRefused(store, { isolation: 'pod' }) : null
  if (!why) return { allowed: news, refused: [] }
  const refused = news.filter(isIsolated).flatMap(({ manifest }) => faultsOf(manifest, why.issues))
  return { allowed: news.filter((one) => !isIsolated(one)), refused }
}

/** Returns the records whose manifests are gone. */
function missedOf(known: ReadonlyMap<string, DeclaredRow>, all: readonly Declared[]) {
  const declared = new Set(all.map(({ declaration }) => nameOf(declaration.resource)))
  const adopted = new Set(all.map(({ declaration }) => declaration.adopts))
  const missed = [...known]
    .filter(([resource]) => !declared.has(resource))
    .map(([resource, record]): Missed => ({ resource, record }))
    .toSorted((one, other) => (one.resource < other.resource ? -1 : 1))
  const isMoved = ({ record }: Missed) => adopted.has(record.monitor_id)
  return { gone: missed.filter((one) => !isMoved(one)), moved: missed.filter(isMoved), declared: known.size }
}

const nameOf = ({ kind, namespace, name }: Pick<ResourceIdentity, 'kind' | 'namespace' | 'name'>): string =>
  `${kindCalled(kind).resource.kind} ${namespace}/${name}`

function refusalsOf(outcome: Exclude<ApplyOutcome, { kind: 'applied' }>, manifest: Manifest): readonly ManifestFault[] {
  if (outcome.kind === 'invalid') return faultsOf(manifest, outcome.issues)
  return [{ ...manifest.place, path: '', message: refusalOf(outcome, manifest) }]
}

function refusalOf(outcome: Exclude<ApplyOutcome, { kind: 'applied' | 'invalid' }>, { adopts }: Manifest): string {
  switch (outcome.kind) {
    case 'over_cap':
      return `the plan ${outcome.tier} allows ${outcome.cap} deliveries a monitor; this one has ${outcome.wanted}`
    case 'over_storage':
      return overStorageText(outcome)
    case 'later_keys':
      return laterKeysText(outcome, 'server')
    case 'not_adoptable':
      return outcome.by
        ? `the monitor ${adopts} is declared by ${outcome.by.namespace}/${outcome.by.name} already`
        : `the team has no monitor ${adopts}, which the annotation tidemark.dev/adopt names`
    case 'declares_another':
      return `it declares the monitor ${outcome.id} already, and cannot take over ${adopts} too: remove the annotation`
    case 'identity_taken':
      return (
        `the team has the monitor ${outcome.id} with this namespace and name already, which tidemark apply made: add ` +
        `the annotation tidemark.dev/adopt: ${outcome.id} to take it over, or delete it`
      )
    case 'other_team':
      return (
        'its monitor belongs to another team: name that team with --config-team, or give the monitors back to the ' +
        'API (tidemark admin release-cluster --cluster file)'
      )
  }
}
