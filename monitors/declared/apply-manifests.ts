import { createHmac } from 'node:crypto'
import { inCamelCase } from '../../core/custom-resource/property-words.ts'
import { keyOfIdentity } from '../../core/custom-resource/resource-name.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { ManifestFault } from '../../manifests/places.ts'
import type { Manifest } from '../../manifests/read-manifests.ts'
import { faultsOf } from '../../manifests/resolve-manifest.ts'
import type { SecretSource } from '../../manifests/secret-values.ts'
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
import { isolationRefused, overStorageText } from '../outcome.ts'
import { applyResources } from './apply-resource.ts'
import type { ApplyOutcome, Declaration } from './declaration.ts'
import { deleteDeclared, releaseResource } from './end-declared.ts'
import { judgeManifests } from './judge-manifests.ts'
import type { Missing, MissingFate } from './missing-manifests.ts'

/** All manifests of a folder, and the team that they belong to. */
interface FolderOfManifests {
  readonly team: { readonly id: string; readonly owner_user_id: string }
  readonly manifests: readonly Manifest[]
  readonly secrets: SecretSource
  /** Makes the hash of what was applied useless to whoever reads the database: it covers the values of Secrets. */
  readonly hashKey: Buffer
  readonly serpSpacingMs: number
  /** Decides what becomes of records whose manifests are gone. */
  readonly fateOf: (missing: Missing) => MissingFate
  /** Writes down that they are too many to be deleted at once, before they are given back to the API. */
  readonly onTooMany: (missing: Missing) => Promise<void>
}

/** The results of the manifests. */
interface AppliedManifests {
  /** False: a manifest is not valid, so nothing was changed. */
  readonly isValid: boolean
  readonly created: number
  readonly adopted: number
  readonly updated: number
  readonly unchanged: number
  /** The resources whose manifests are gone; their records belong to the API now. */
  readonly released: readonly string[]
  /** Those that were deleted with their records. */
  readonly deleted: readonly string[]
  /** Those whose records are declared by the folder as before, until a later look. */
  readonly waiting: readonly string[]
  /** `released` were too many to be deleted at once. */
  readonly isTooMany: boolean
  /** Manifests that were not applied, each with the reason. */
  readonly faults: readonly ManifestFault[]
  /** What should be known about those that were. */
  readonly warnings: readonly string[]
}

/** Manifests that one transaction applies. */
const BATCH = 100

/**
 * Makes the records of a team be what the manifests of a folder declare. `fateOf` decides about a record whose manifest
 * is gone. One that another manifest adopts belongs to the API, so that the next look takes it over. Where a manifest
 * is not valid, nothing is changed at all. Applying twice changes nothing.
 */
export async function applyManifests(
  context: MonitorContext & { readonly egress: EgressPolicy },
  folder: FolderOfManifests,
): Promise<AppliedManifests> {
  const { declarations, faults } = declarationsOf(context.egress, folder)
  const counts = { created: 0, adopted: 0, updated: 0, unchanged: 0 }
  if (faults.length > 0) return { isValid: false, ...counts, ...NOTHING_MISSING, faults, warnings: [] }
  const known = new Map((await declaredRecords(context.store, FILES)).map((record) => [idOf(record), record]))
  const news = declarations.filter(({ declaration }) => !isApplied(declaration, known.get(idOf(declaration.resource))))
  counts.unchanged = declarations.length - news.length
  const { allowed, refused } = await withoutPods(context, news)
  const stored: Stored[] = []
  for (let from = 0; from < allowed.length; from += BATCH) {
    const batch = allowed.slice(from, from + BATCH)
    const outcomes = await applyResources(
      context,
      batch.map(({ declaration }) => withRequest(declaration, known.get(idOf(declaration.resource)))),
    )
    for (const [index, outcome] of outcomes.entries()) {
      const manifest = batch[index]?.manifest
      if (outcome.kind === 'applied') counts[outcome.change] += 1
      if (!manifest) continue
      if (outcome.kind === 'applied') stored.push({ manifest, outcome })
      else if (outcome.kind === 'invalid') refused.push(...faultsOf(manifest, outcome.issues))
      else refused.push({ ...manifest.place, path: '', message: refusalOf(outcome, manifest) })
    }
  }
  const ended = await endMissing(context, folder, { known, declarations, hasFaults: refused.length > 0 })
  const warnings = await warningsOf(context, stored, folder)
  return { isValid: true, ...counts, ...ended, faults: refused, warnings }
}

type Ended = Pick<AppliedManifests, 'released' | 'deleted' | 'waiting' | 'isTooMany'>
const NOTHING_MISSING: Ended = { released: [], deleted: [], waiting: [], isTooMany: false }

interface Known {
  /** What the folder declared before, by what identifies it. */
  readonly known: ReadonlyMap<string, DeclaredRow>
  readonly declarations: readonly Declared[]
  readonly hasFaults: boolean
}

async function endMissing(
  context: MonitorContext,
  { fateOf, onTooMany }: FolderOfManifests,
  { known, declarations, hasFaults }: Known,
): Promise<Ended> {
  const declared = new Set(declarations.map(({ declaration }) => idOf(declaration.resource)))
  const adopted = new Set(declarations.map(({ declaration }) => declaration.adopts))
  const gone = [...known].filter(([id]) => !declared.has(id)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const [moved, missing] = [
    gone.filter(([, record]) => adopted.has(record.monitor_id)),
    gone.filter(([, record]) => !adopted.has(record.monitor_id)),
  ]
  const idsOf = (records: typeof gone) => records.map(([id]) => id)
  const endOf = async (records: typeof gone, end: typeof releaseResource) => {
    for (const [, { kind, namespace, name }] of records)
      await end(context, { actor: SYSTEM, resource: { clusterId: FILES, kind, namespace, name } })
  }
  const about = { resources: idsOf(missing), declared: known.size, hasFaults }
  const fate = fateOf(about)
  if (fate === 'too_many') await onTooMany(about)
  const isReleased = fate === 'release' || fate === 'too_many'
  const released = isReleased ? gone : moved
  await endOf(released, releaseResource)
  if (fate === 'delete') await endOf(missing, deleteDeclared)
  return {
    released: idsOf(released),
    deleted: fate === 'delete' ? idsOf(missing) : [],
    waiting: fate === 'wait' ? idsOf(missing) : [],
    isTooMany: fate === 'too_many',
  }
}

/** A manifest that was applied. */
interface Stored {
  readonly manifest: Manifest
  readonly outcome: Extract<ApplyOutcome, { kind: 'applied' }>
}

/** Returns what should be known about records that were created or edited: each text once, behind their manifests. */
async function warningsOf(
  { store }: MonitorContext,
  stored: readonly Stored[],
  settings: Pick<FolderOfManifests, 'serpSpacingMs'>,
): Promise<readonly string[]> {
  const found = new Map<string, Manifest[]>()
  const changed = stored.filter(({ outcome }) => outcome.change !== 'unchanged')
  for (const [declares, ofKind] of Map.groupBy(changed, ({ manifest }) => manifest.resource.declares)) {
    const monitors = ofKind.map(({ outcome }) => outcome.monitor)
    const warnings = await kindCalled(declares).warnings(store, monitors, settings)
    for (const [at, { manifest }] of ofKind.entries())
      for (const text of warnings[at] ?? []) found.set(text, [...(found.get(text) ?? []), manifest])
  }
  return [...found].map(([text, about]) => `${namesOf(about)}: ${inCamelCase(text)}`)
}

/** So many of the manifests that one warning is about are named. */
const MOST_NAMED = 3

function namesOf(about: readonly Manifest[]): string {
  const names = about.slice(0, MOST_NAMED).map(keyOfIdentity)
  const more = about.length > MOST_NAMED ? ` and ${about.length - MOST_NAMED} more` : ''
  return `${about[0]?.resource.kind} ${names.join(', ')}${more}`
}

interface Declared {
  readonly manifest: Manifest
  readonly declaration: Declaration
}

function declarationsOf(egress: EgressPolicy, { team, manifests, secrets, hashKey }: FolderOfManifests) {
  const { valid, faults } = judgeManifests(manifests, { secrets, egress })
  const declarations = valid.map(({ manifest, spec }): Declared => {
    const { resource, namespace, name, suspend, adopts, runRequest, place } = manifest
    const hash = createHmac('sha256', hashKey)
      .update(JSON.stringify([team.id, spec, suspend, place.file]))
      .digest()
    const declaration: Declaration = {
      teamId: team.id,
      actor: SYSTEM,
      userId: team.owner_user_id,
      resource: { clusterId: FILES, kind: resource.declares, namespace, name },
      // A file has neither a uid nor a generation.
      state: { uid: '', generation: 0, hash, lastRequest: runRequest, file: place.file },
      spec,
      suspend,
      adopts,
    }
    return { manifest, declaration }
  })
  return { declarations, faults }
}

interface AllowedDeclarations {
  readonly allowed: readonly Declared[]
  readonly refused: ManifestFault[]
}

/** Leaves out manifests that ask for pods of their own where nobody starts any. They are read again with the folder. */
async function withoutPods({ store }: MonitorContext, news: readonly Declared[]): Promise<AllowedDeclarations> {
  const isIsolated = ({ declaration }: Declared) => (declaration.spec as Partial<MonitorSpec>).isolation === 'pod'
  const why = news.some(isIsolated) ? await isolationRefused(store, { isolation: 'pod' }) : null
  if (!why) return { allowed: news, refused: [] }
  const [refused, allowed] = [news.filter(isIsolated), news.filter((one) => !isIsolated(one))]
  return { allowed, refused: refused.flatMap(({ manifest }) => faultsOf(manifest, why.issues)) }
}

const idOf = ({ kind, namespace, name }: Pick<ResourceIdentity, 'kind' | 'namespace' | 'name'>): string =>
  `${kindCalled(kind).resource.kind} ${namespace}/${name}`

function isApplied({ teamId, state: { hash, lastRequest } }: Declaration, record: DeclaredRow | undefined): boolean {
  const isAsked = lastRequest !== null && lastRequest !== record?.last_request
  return record !== undefined && record.team_id === teamId && record.hash.equals(hash) && !isAsked
}

/** A manifest that asks for no run leaves the request that was followed last as it is. */
const withRequest = (declaration: Declaration, record: DeclaredRow | undefined): Declaration => ({
  ...declaration,
  state: { ...declaration.state, lastRequest: declaration.state.lastRequest ?? record?.last_request ?? null },
})

function refusalOf(outcome: Exclude<ApplyOutcome, { kind: 'applied' | 'invalid' }>, { adopts }: Manifest): string {
  switch (outcome.kind) {
    case 'over_cap':
      return `the plan ${outcome.tier} allows ${outcome.cap} deliveries a monitor; this one has ${outcome.wanted}`
    case 'over_storage':
      return overStorageText(outcome)
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
