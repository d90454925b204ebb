import type { Reading } from '../../runners/check/reading.ts'
import type { Task } from '../../runners/check/task.ts'
import type { SealedPlace, SecretBox } from '../../store/secrets/secret-box.ts'

/** The fields of a task that do not follow from what was asked for. */
export type KnownOfTask = Pick<
  Task,
  'no' | 'fence' | 'runId' | 'monitorId' | 'team' | 'teamKey' | 'dueMs' | 'claimedMs' | 'claimedAt'
>

/** What a runner answered: a check that ended here and now. */
export interface AskedAnswer {
  readonly reading: Exclude<Reading, { kind: 'abandoned' | 'moved' | 'unchanged' }>
  /** Milliseconds that the runner needed. */
  readonly durationMs: number
}

/**
 * A kind of work that somebody asks for and a runner does. It is a check without a monitor: it is claimed, leased,
 * judged and settled as all of them, and says what a runner is to do and what of the answer is kept.
 */
export interface AskedKind<Request = unknown> {
  /** Returns the task. `request` was sealed by this kind. */
  taskOf(request: Request, known: KnownOfTask): Task
  /** Returns what is kept until the process that waits has it, as JSON. */
  keptOf(answer: AskedAnswer): unknown
}

/** The kinds by their names, which are those of the rows of `asked_work`. */
export type AskedKinds = Readonly<Record<string, AskedKind>>

/** The row of the work. */
interface Row {
  readonly id: string
  readonly teamId: string
}

const placeOf = ({ id, teamId }: Row, column: SealedPlace['column']): SealedPlace => ({ teamId, column, rowId: id })

export const sealRequest = (secrets: SecretBox, row: Row, request: unknown): Buffer =>
  secrets.seal(placeOf(row, 'asked_work.request'), request)

export const openRequest = (secrets: SecretBox, row: Row, sealed: Uint8Array): unknown =>
  secrets.open(placeOf(row, 'asked_work.request'), sealed)

export const sealAnswer = (secrets: SecretBox, row: Row, kept: unknown): Buffer =>
  secrets.seal(placeOf(row, 'asked_work.answer'), kept)

export const openAnswer = (secrets: SecretBox, row: Row, sealed: Uint8Array): unknown =>
  secrets.open(placeOf(row, 'asked_work.answer'), sealed)
