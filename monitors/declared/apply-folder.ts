import { inCamelCase } from '../../core/custom-resource/property-words.ts'
import { keyOfIdentity } from '../../core/custom-resource/resource-name.ts'
import type { Manifest } from '../../manifests/manifest.ts'
import type { MonitorContext } from '../context.ts'
import { kindCalled } from '../kinds/kinds.ts'
import { type AppliedPlan, applyPlan, type Fates } from './apply-plan.ts'
import type { JudgedManifest } from './judge-manifests.ts'
import { createStoredRecords, type FolderOfManifests, type Stored } from './stored-records.ts'

interface FolderToApply extends FolderOfManifests, Fates {
  /** All of the folder: nothing is applied where one is not valid. */
  readonly manifests: readonly JudgedManifest[]
  readonly serpSpacingMs: number
}

/** The results of the manifests of a folder. */
export interface AppliedFolder extends AppliedPlan {
  readonly created: number
  readonly adopted: number
  readonly updated: number
  readonly unchanged: number
  /** What should be known about those that were created or edited. */
  readonly warnings: readonly string[]
}

/** Makes the records of a team be what the manifests of a folder declare. Applying twice changes nothing. */
export async function applyFolder(context: MonitorContext, folder: FolderToApply): Promise<AppliedFolder> {
  const records = createStoredRecords(context, folder)
  const plan = await records.compare(folder.manifests)
  const applied = await applyPlan(records, plan, folder)
  const counts = { created: 0, adopted: 0, updated: 0, unchanged: plan.kept.length }
  for (const { outcome } of records.stored) counts[outcome.change] += 1
  return { ...applied, ...counts, warnings: await warningsOf(context, records.stored, folder) }
}

/** Returns what should be known about records that were created or edited: each text once, behind their manifests. */
async function warningsOf(
  { store }: Pick<MonitorContext, 'store'>,
  stored: readonly Stored[],
  settings: Pick<FolderToApply, 'serpSpacingMs'>,
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
const MAX_NAMED = 3

function namesOf(about: readonly Manifest[]): string {
  const names = about.slice(0, MAX_NAMED).map(keyOfIdentity)
  const more = about.length > MAX_NAMED ? ` and ${about.length - MAX_NAMED} more` : ''
  return `${about[0]?.resource.kind} ${names.join(', ')}${more}`
}
