import type { CheckKind } from '../../runners/check/kinds/check-kind.ts'
import type { Task } from '../../runners/check/task.ts'
import type { Recording, RecordingParts } from '../record/recording.ts'

/**
 * What a worker does with the checks of one kind of monitor. Those who handle all kinds alike take it without
 * arguments.
 */
export interface WorkKind<T extends Task = Task> extends CheckKind<T> {
  /** Returns what compares and writes the end of a check. */
  recording(parts: RecordingParts): Recording<T>
}
