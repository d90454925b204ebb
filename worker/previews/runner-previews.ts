import { engineActs } from '../../core/serp/ended-search.ts'
import type { Task } from '../../runners/check/task.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import type { Store } from '../../store/db/client.ts'
import {
  answerPreview,
  claimPreviews,
  claimSearchPreview,
  extendPreviews,
  findHeldPreview,
  isPreview,
  releasePreviews,
} from '../../store/previews/previews.ts'
import { freeExits, keepExits } from '../../store/queue/claim-search.ts'
import { endSearches } from '../../store/queue/end-searches.ts'
import type { Held } from '../../store/queue/lease.ts'
import { type SecretBox, UnreadableSecretError } from '../../store/secrets/secret-box.ts'
import { hostOf } from '../queue/claim-round.ts'
import { outcomeOf, searchOutcomeOf, type ReportedOutcome } from '../queue/outcome-of.ts'
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
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }

/** Previews for runners: what the runner API does with checks, for numbers of previews. */
export interface RunnerPreviews {
  /** `exit` is the address that the runner's searches come from. Null: it does none. */
  claim(limit: number, holder: Holder, exit: string | null): Promise<readonly Task[]>
  heartbeat(previews: readonly Held[], holder: number): Promise<readonly number[]>
  complete(reported: ReportedOutcome, holder: number): Promise<Completed>
  release(previews: readonly Held[], delayMs: number, holder: number): Promise<void>
  isHeld(preview: Held, holder: number): Promise<boolean>
}

interface RunnerPreviewsOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly leaseMs: number
  /** Milliseconds between two searches at one engine and exit. */
  readonly spacingMs: number
}

/** A little more than the time between two heartbeats: somebody waits, so a runner that is gone is noticed soon. */
const LEASE_SHARE = 0.4
/** A heartbeat may be late by seconds on a busy machine. */
const SHORTEST_LEASE_SECONDS = 5

export function createRunnerPreviews({ store, secrets, leaseMs, spacingMs }: RunnerPreviewsOptions): RunnerPreviews {
  const leaseSeconds = Math.max(SHORTEST_LEASE_SECONDS, (leaseMs / 1000) * LEASE_SHARE)
  return {
    async claim(limit, { id: holder, checkNo }, exit) {
      if (checkNo !== null && !isPreview(checkNo)) return []
      const claimedAt = performance.now()
      const rows = await claimPreviews(store, { limit, leaseSeconds, holder, only: checkNo })
      const makesSearches = exit !== null && checkNo === null && rows.length < limit
      const search = makesSearches ? await claimSearchPreview(store, { exit, leaseSeconds, holder }) : null
      return [...rows, ...(search ? [search] : [])].flatMap((row) => taskOf(row, secrets, claimedAt) ?? [])
    },
    async heartbeat(previews, holder) {
      const held = await extendPreviews(store, previews, leaseSeconds, holder)
      await keepExits(store, heldOf(previews, held), leaseSeconds)
      return held
    },
    async complete(reported, holder) {
      const { no, fence, started_ms: startedMs, ended_ms: endedMs } = reported.outcome
      const row = await findHeldPreview(store, { no, fence }, holder)
      const task = row && taskOf(row, secrets, performance.now())
      if (!task) return { kind: 'not_held' }
      const checked =
        task.kind === 'serp' ? searchOutcomeOf(reported, task) : outcomeOf(reported, { task, ...NOTHING_BEFORE })
      if (!checked.ok) return { kind: 'invalid', issues: checked.issues }
      const { reading } = checked
      if (reading.kind === 'moved' || reading.kind === 'unchanged')
        throw new TypeError(`a preview that is ${reading.kind} has an issue`)
      const durationMs = Math.min(Math.max(0, endedMs - startedMs), MOST_MS)
      const answer = sealAnswer(secrets, { id: row.id, teamId: row.team_id }, { reading, durationMs })
      // The exit first: whoever waits may ask for another search at once.
      if (task.kind === 'serp' && (reading.kind === 'search' || reading.kind === 'failed'))
        await endSearches(store, [{ no, fence, engine: task.search.engine, ...engineActs(reading) }], spacingMs)
      return { kind: (await answerPreview(store, row, holder, answer)) ? 'settled' : 'not_held' }
    },
    async release(previews, delayMs, holder) {
      const released = await releasePreviews(store, previews, delayMs, holder)
      await freeExits(store, heldOf(previews, released), spacingMs)
    },
    isHeld: async (preview, holder) => (await findHeldPreview(store, preview, holder)) !== null,
  }
}

const heldOf = (previews: readonly Held[], numbers: readonly number[]) =>
  previews.filter(({ no }) => numbers.includes(no))

const NOTHING_BEFORE = { hasBaseline: false, layerIsRemembered: false, hasProxy: false, isPreview: true } as const
const MOST_MS = 600_000

type Row = Awaited<ReturnType<typeof claimPreviews>>[number]

/** Returns the task of a preview. Null: it was encrypted with a key that this process does not have. */
function taskOf({ no, id, team_id: team, fence, request, at_ms }: Row, secrets: SecretBox, at: number): Task | null {
  const known = {
    no,
    fence,
    runId: id,
    monitorId: '',
    team,
    teamKey: team,
    dueMs: null,
    claimedMs: at_ms,
    claimedAt: at,
  }
  try {
    const asked = openRequest(secrets, { id, teamId: team }, request)
    if ('search' in asked) {
      const { search } = asked
      return {
        ...known,
        kind: 'serp',
        queue: 'serp',
        host: search.engine,
        search,
        refusedUntilMs: null,
        obstacle: null,
      }
    }
    const { url } = asked
    return { ...known, kind: 'page', ...asked, host: hostOf(url), triesStatic: false, asksFetched: true, last: null }
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null
    throw error
  }
}
