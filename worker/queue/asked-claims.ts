import { byKind } from '../../core/by-kind.ts'
import type { Task } from '../../runners/check/task.ts'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { Store } from '../../store/db/client.ts'
import { answerAsked, claimAsked, type ClaimedAsked, findHeldAsked } from '../../store/queue/claim-asked.ts'
import { askedLeaseSeconds, type Held } from '../../store/queue/lease.ts'
import { type SecretBox, UnreadableSecretError } from '../../store/secrets/secret-box.ts'
import type { WorkKind } from '../kinds/work-kind.ts'
import { type AskedKinds, openRequest, sealAnswer } from './asked-kind.ts'
import type { Completion, RunnerHolder } from './completion.ts'
import type { ReportedOutcome } from './reported-outcome.ts'

/** Asked work for runners: what is other than with checks, which is what is claimed and what becomes of an answer. */
export interface AskedClaims {
  /** `exit` is the address that the runner's searches come from. Null: it does none. */
  claim(limit: number, holder: RunnerHolder, exit: string | null): Promise<readonly Task[]>
  complete(reported: ReportedOutcome, holder: number): Promise<Completion>
  isHeld(work: Held, holder: number): Promise<boolean>
}

interface AskedClaimsOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly kinds: readonly WorkKind[]
  readonly asked: AskedKinds
  readonly leaseSeconds: number
  /** Milliseconds between two searches at one engine and exit. */
  readonly spacingMs: number
}

export function createAskedClaims(options: AskedClaimsOptions): AskedClaims {
  const { store, secrets, kinds, asked, spacingMs } = options
  const claims = { kinds: Object.keys(asked), leaseSeconds: askedLeaseSeconds(options.leaseSeconds) }

  /** Null: it was encrypted with a key that this process does not have. */
  function taskOf(row: ClaimedAsked, claimedAt: number): Task | null {
    const { id: runId, no, fence, team_id: team, at_ms: claimedMs } = row
    const known = { no, fence, runId, monitorId: '', team, teamKey: team, dueMs: null, claimedMs, claimedAt }
    try {
      const request = openRequest(secrets, { id: runId, teamId: team }, row.request)
      return asked[row.kind]?.taskOf(request, known) ?? null
    } catch (error) {
      if (error instanceof UnreadableSecretError) return null
      throw error
    }
  }

  return {
    async claim(limit, { id: holder, checkNo: only, level: runner = 1 }, exit) {
      const claimedAt = performance.now()
      const level = Math.min(runner, WORK_LEVEL)
      const rows = await claimAsked(store, { ...claims, limit, holder, exit, only, level })
      return rows.flatMap((row) => taskOf(row, claimedAt) ?? [])
    },
    async complete(reported, holder) {
      const { no, fence, started_ms: startedMs, ended_ms: endedMs } = reported.outcome
      const row = await findHeldAsked(store, { no, fence }, holder)
      if (row && row.level > WORK_LEVEL) return { kind: 'abandoned' }
      const task = row && taskOf(row, performance.now())
      if (!task) return { kind: 'not_held' }
      const kind = byKind(kinds, task.kind)
      const checked = kind.outcomeOf(reported, { task, ...NOTHING_BEFORE })
      if (!checked.ok) return { kind: 'invalid', issues: checked.issues }
      const { reading } = checked
      if (reading.kind === 'moved' || reading.kind === 'unchanged')
        throw new TypeError(`asked work that is ${reading.kind} has an issue`)
      const durationMs = Math.min(Math.max(0, endedMs - startedMs), MAX_MS)
      const kept = asked[row.kind]?.keptOf({ reading, durationMs })
      const answer = sealAnswer(secrets, { id: row.id, teamId: row.team_id }, kept)
      // The exit first: the person who waits may ask for another search at once.
      await kind.exits?.end(store, { task, reading }, spacingMs)
      return { kind: (await answerAsked(store, row, holder, answer)) ? 'settled' : 'not_held' }
    },
    isHeld: async (work, holder) => (await findHeldAsked(store, work, holder)) !== null,
  }
}

const NOTHING_BEFORE = { hasBaseline: false, layerIsRemembered: false, hasProxy: false, isPreview: true } as const
const MAX_MS = 600_000
