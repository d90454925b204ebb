import type { Issue } from '../../schema/validation/issue.ts'
import type { PageTask } from '../../runners/check/task.ts'
import type { Held } from '../../store/queue/lease.ts'
import type { Store } from '../../store/db/client.ts'
import {
  answerPreview,
  claimPreviews,
  extendPreviews,
  findHeldPreview,
  isPreview,
  releasePreviews,
} from '../../store/previews/previews.ts'
import { type SecretBox, UnreadableSecretError } from '../../store/secrets/secret-box.ts'
import { hostOf } from '../queue/claim-round.ts'
import { outcomeOf, type Told } from '../queue/outcome-of.ts'
import { openRequest, sealAnswer } from './preview-record.ts'

/** Who claims: the number of a token, and the one isolated preview that it is for. */
interface Holder {
  readonly id: number
  readonly checkNo: number | null
}

type Completed =
  | { readonly kind: 'settled' }
  /** It is not leased with this token, or nobody waits for it any more. */
  | { readonly kind: 'not_held' }
  | { readonly kind: 'unbelievable'; readonly issues: readonly Issue[] }

/** Previews for runners: what the runner API does with checks, for numbers of previews. */
export interface RunnerPreviews {
  claim(limit: number, holder: Holder): Promise<readonly PageTask[]>
  heartbeat(previews: readonly Held[], holder: number): Promise<readonly number[]>
  complete(told: Told, holder: number): Promise<Completed>
  release(previews: readonly Held[], delayMs: number, holder: number): Promise<void>
  isHeld(preview: Held, holder: number): Promise<boolean>
}

interface RunnerPreviewsOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly leaseMs: number
}

/** A little more than the time between two heartbeats: somebody waits, so a runner that is gone is noticed soon. */
const LEASE_SHARE = 0.4
/** A heartbeat may be late by seconds on a busy machine. */
const SHORTEST_LEASE_SECONDS = 5

export function createRunnerPreviews({ store, secrets, leaseMs }: RunnerPreviewsOptions): RunnerPreviews {
  const leaseSeconds = Math.max(SHORTEST_LEASE_SECONDS, (leaseMs / 1000) * LEASE_SHARE)
  return {
    async claim(limit, { id: holder, checkNo }) {
      if (checkNo !== null && !isPreview(checkNo)) return []
      const claimedAt = performance.now()
      const rows = await claimPreviews(store, { limit, leaseSeconds, holder, only: checkNo })
      return rows.flatMap((row) => taskOf(row, secrets, claimedAt) ?? [])
    },
    heartbeat: (previews, holder) => extendPreviews(store, previews, leaseSeconds, holder),
    async complete(told, holder) {
      const { no, fence, started_ms: startedMs, ended_ms: endedMs } = told.outcome
      const row = await findHeldPreview(store, { no, fence }, holder)
      const task = row && taskOf(row, secrets, performance.now())
      if (!task) return { kind: 'not_held' }
      const believed = outcomeOf(told, { task, ...NOTHING_BEFORE })
      if (!believed.ok) return { kind: 'unbelievable', issues: believed.issues }
      const { reading } = believed
      if (reading.kind !== 'values' && reading.kind !== 'text' && reading.kind !== 'failed')
        throw new TypeError(`a preview that is ${reading.kind} has an issue`)
      const durationMs = Math.min(Math.max(0, endedMs - startedMs), MOST_MS)
      const answer = sealAnswer(secrets, { id: row.id, teamId: row.team_id }, { reading, durationMs })
      return { kind: (await answerPreview(store, row, holder, answer)) ? 'settled' : 'not_held' }
    },
    release: (previews, delayMs, holder) => releasePreviews(store, previews, delayMs, holder),
    isHeld: async (preview, holder) => (await findHeldPreview(store, preview, holder)) !== null,
  }
}

const NOTHING_BEFORE = { hasBaseline: false, layerIsRemembered: false, hasProxy: false, isPreview: true } as const
const MOST_MS = 600_000

type Row = Awaited<ReturnType<typeof claimPreviews>>[number]

/** Returns the task of a preview. Null: it was encrypted with a key that this process does not have. */
function taskOf(
  { no, id, team_id: team, fence, request, at_ms }: Row,
  secrets: SecretBox,
  at: number,
): PageTask | null {
  try {
    const asked = openRequest(secrets, { id, teamId: team }, request)
    return {
      kind: 'page',
      ...{ no, fence, runId: id, monitorId: '', team, teamKey: team, host: hostOf(asked.url) },
      ...asked,
      ...{ triesStatic: false, asksFetched: true, last: null },
      ...{ dueMs: null, claimedMs: at_ms, claimedAt: at },
    }
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null
    throw error
  }
}
