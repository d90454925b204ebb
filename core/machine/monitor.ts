import type { MonitorStatus } from '../../schema/monitor.ts'
import { FAILURES_UNTIL_ERROR } from '../schedule.ts'

/**
 * A monitor (spec, Monitor status; DESIGN §4.7).
 *
 *     active          scheduled
 *     error           scheduled, backing off: five checks failed in a row; the next success makes it active
 *     paused          not scheduled: a person paused it, or ten checks of a SERP monitor failed in a row
 *     billing_paused  locked: a trial ended without a plan; nobody but a plan sync moves it
 *     deleted         final
 *
 *     from           pause    resume          lock            unlock          delete
 *     active         paused   active          billing_paused  -               deleted
 *     error          paused   error           billing_paused  -               deleted
 *     paused         paused   active + run    paused          -               deleted
 *     billing_paused refused  refused         billing_paused  active + run    deleted
 *     deleted        refused  refused         deleted         -               deleted
 *
 * So what a user paused stays paused through the end of a trial and the choice of a plan. Leaving `paused` or `billing_paused` counts failures anew, else a
 * monitor that failed before would come back as `error`. The status is derived, never stored: `statusOf`.
 */

/** Consecutive failures at which a SERP monitor pauses itself (spec, SERP monitoring behaviour). It never is in `error`. */
export const SERP_FAILURES_UNTIL_PAUSE = 10

export type MonitorKind = 'regular' | 'serp'
export type MonitorEvent = 'pause' | 'resume' | 'lock' | 'unlock' | 'delete' | 'succeeded' | 'failed'

/** What follows from a move besides the new state. The mails are sent to the owner once each. */
export type MonitorEffect = 'run_now' | 'tell_failing' | 'tell_recovered' | 'tell_auto_paused'

/** What the status is derived from. */
export interface MonitorFacts {
  readonly kind: MonitorKind
  readonly isDeleted: boolean
  readonly isLocked: boolean
  readonly isPaused: boolean
  /** Failures in a row. */
  readonly failures: number
}

export type MonitorMove =
  | { readonly ok: true; readonly facts: MonitorFacts; readonly effects: readonly MonitorEffect[] }
  | { readonly ok: false; readonly reason: 'locked' | 'deleted' }

/** The status that the facts come to. */
export function statusOf({ kind, isDeleted, isLocked, isPaused, failures }: MonitorFacts): MonitorStatus {
  if (isDeleted) return 'deleted'
  if (isLocked) return 'billing_paused'
  if (isPaused) return 'paused'
  return kind === 'regular' && failures >= FAILURES_UNTIL_ERROR ? 'error' : 'active'
}

type Step = 'stay' | 'pause' | 'start' | 'lock' | 'delete' | 'count' | 'locked' | 'deleted'

const RUNNING = {
  pause: 'pause',
  resume: 'stay',
  lock: 'lock',
  unlock: 'stay',
  delete: 'delete',
  succeeded: 'count',
  failed: 'count',
} as const

/** A check in flight may end after its monitor was paused or locked: its outcome counts. After a delete nothing does. */
const STEPS = {
  active: RUNNING,
  error: RUNNING,
  paused: { ...RUNNING, pause: 'stay', resume: 'start', lock: 'stay' },
  billing_paused: { ...RUNNING, pause: 'locked', resume: 'locked', lock: 'stay', unlock: 'start' },
  deleted: {
    pause: 'deleted',
    resume: 'deleted',
    lock: 'stay',
    unlock: 'stay',
    delete: 'stay',
    succeeded: 'stay',
    failed: 'stay',
  },
} as const satisfies Record<MonitorStatus, Record<MonitorEvent, Step>>

/** Where an event takes a monitor. A refusal is 403 when locked and 404 when deleted. */
export function nextMonitor(facts: MonitorFacts, event: MonitorEvent): MonitorMove {
  const step: Step = STEPS[statusOf(facts)][event]
  switch (step) {
    case 'locked':
    case 'deleted':
      return { ok: false, reason: step }
    case 'stay':
      return { ok: true, facts, effects: [] }
    case 'pause':
      return { ok: true, facts: { ...facts, isPaused: true }, effects: [] }
    case 'lock':
      return { ok: true, facts: { ...facts, isLocked: true }, effects: [] }
    case 'delete':
      return { ok: true, facts: { ...facts, isDeleted: true }, effects: [] }
    case 'start':
      return { ok: true, facts: { ...facts, isLocked: false, isPaused: false, failures: 0 }, effects: ['run_now'] }
    case 'count':
      return counted(facts, event === 'succeeded' ? 0 : facts.failures + 1)
  }
}

function counted(facts: MonitorFacts, failures: number): MonitorMove {
  const was = statusOf(facts)
  const after = { ...facts, failures }
  if (was === 'active' && facts.kind === 'serp' && failures >= SERP_FAILURES_UNTIL_PAUSE)
    return { ok: true, facts: { ...after, isPaused: true }, effects: ['tell_auto_paused'] }
  const is = statusOf(after)
  if (was === is) return { ok: true, facts: after, effects: [] }
  return { ok: true, facts: after, effects: [is === 'error' ? 'tell_failing' : 'tell_recovered'] }
}
