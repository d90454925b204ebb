import type { ManifestFault } from '../../manifests/places.ts'
import type { JudgedManifest } from './judge-manifests.ts'
import type { Missing, MissingFate } from './missing-manifests.ts'

/** A record whose manifest is gone. */
interface Gone {
  /** How messages name it. */
  readonly resource: string
}

/** What is to be done so that records are what manifests declare. */
export interface Plan<Step, Missed extends Gone> {
  /** Records to create, to take over and to edit, in the order of the manifests. */
  readonly steps: readonly Step[]
  /** Records that are as they are declared. */
  readonly kept: readonly Step[]
  /** Manifests that cannot be applied, each with the reason. */
  readonly faults: readonly ManifestFault[]
  /** Records that the input declared before, without a manifest now, in the order of their names. */
  readonly gone: readonly Missed[]
  /** Likewise, and another manifest takes each of them over. */
  readonly moved: readonly Missed[]
  /** How many records the input declared before. */
  readonly declared: number
}

/** Where records of manifests are: the store of this process, or a server. */
export interface DeclaredRecords<Step, Missed extends Gone> {
  /** Compares manifests with their records. Nothing is written. */
  compare(manifests: readonly JudgedManifest[]): Promise<Plan<Step, Missed>>
  /** Returns the faults of what was refused. Throws where nothing that is left can be written either. */
  write(steps: readonly Step[]): Promise<readonly ManifestFault[]>
  /** Deletes a record, or gives it back to the API. Returns whether that was done. */
  end(missed: Missed, how: 'delete' | 'release'): Promise<boolean>
}

export interface Fates {
  /** Decides about records whose manifests are gone. */
  readonly fateOf: (missing: Missing) => MissingFate
  /** Writes down that they are too many to be deleted at once, before they are given back to the API. */
  readonly onTooMany?: (missing: Missing) => Promise<void>
}

/** What became of the manifests. */
export interface AppliedPlan {
  /** Manifests that were not applied, each with the reason. */
  readonly faults: readonly ManifestFault[]
  /** The resources whose manifests are gone; their records belong to the API now. */
  readonly released: readonly string[]
  /** Those that were deleted with their records. */
  readonly deleted: readonly string[]
  /** Those whose records stay as they are. */
  readonly waiting: readonly string[]
  /** `released` were too many to be deleted at once. */
  readonly isTooMany: boolean
}

/**
 * Makes records be what manifests declare. Records whose manifests are gone come last, so that none is deleted beside a
 * manifest that was refused: it may be a new name of the one that is gone. One that another manifest takes over belongs
 * to the API then, so that the next look finds it there.
 */
export async function applyPlan<Step, Missed extends Gone>(
  records: DeclaredRecords<Step, Missed>,
  { steps, faults: refused, gone, moved, declared }: Plan<Step, Missed>,
  { fateOf, onTooMany }: Fates,
): Promise<AppliedPlan> {
  const faults = [...refused, ...(await records.write(steps))]
  const missing = { resources: gone.map(resourceOf), declared, hasFaults: faults.length > 0 }
  const fate = fateOf(missing)
  if (fate === 'too_many') await onTooMany?.(missing)
  const isReleased = fate === 'release' || fate === 'too_many'
  const released = isReleased ? inOrderOfNames([...gone, ...moved]) : moved
  const deleted: string[] = []
  for (const one of released) await records.end(one, 'release')
  if (fate === 'delete') for (const one of gone) if (await records.end(one, 'delete')) deleted.push(one.resource)
  return {
    faults,
    released: released.map(resourceOf),
    deleted,
    waiting: fate === 'wait' ? missing.resources : [],
    isTooMany: fate === 'too_many',
  }
}

const resourceOf = ({ resource }: Gone): string => resource

const inOrderOfNames = <Missed extends Gone>(all: readonly Missed[]) =>
  all.toSorted((one, other) => (one.resource < other.resource ? -1 : 1))
