import type { Finished } from '../../runners/check/check-source.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { PageTask } from '../../runners/check/task.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import { cleanAnswer } from '../prompts/clean-answer.ts'
import { NO_MODEL, type Prompts } from '../prompts/prompts-port.ts'
import type { Recordable } from '../record/run-writers.ts'

type TextReading = Extract<Reading, { kind: 'text' }>

interface Asking {
  readonly prompts: Prompts | null
  readonly extractor: Pick<Extractor, 'read'> | undefined
  readonly teamId: string
  readonly signal: AbortSignal
}

/**
 * Asks the model about a check that ended with text, and returns the check with the answer. Its duration includes the
 * time of the answer. Returns null if nothing is to be recorded.
 */
export async function answered(
  finished: Finished<PageTask> & { readonly reading: TextReading },
  { prompts, extractor, teamId, signal }: Asking,
): Promise<Recordable | null> {
  const { task, reading } = finished
  const { kind: _, text, ...besides } = reading
  const { fetchMethod, fetchReason = null } = reading
  const failed = (fault: Extract<Reading, { kind: 'failed' }>['fault'], retryAfterMs: number): Recordable => ({
    ...finished,
    reading: { kind: 'failed', fetchMethod, fetchReason, fault, retryAfterMs },
  })
  if (task.extract.method !== 'prompt') return failed({ code: 'internal', message: NOT_ASKED }, 0)
  if (!prompts) return failed({ code: 'not_available', message: NO_MODEL }, 0)
  const { prompt, schema = null } = task.extract
  const startedAt = performance.now()
  const told = await prompts.ask({ teamId, prompt, schema, text, held: heldBy(reading) }, signal)
  const { extract, url } = task
  const answer = await cleanAnswer(told, { extractor, extract, url, signal })
  if (answer.kind === 'abandoned') return null
  const endedMs = finished.endedMs + Math.round(performance.now() - startedAt)
  if (answer.kind === 'failed') return { ...failed(answer.fault, answer.retryAfterMs), endedMs }
  const warnings = [...reading.warnings, ...answer.warnings]
  return { ...finished, endedMs, reading: { ...besides, ...answer, warnings } }
}

/** Bytes of pictures that stay in memory while the text waits. */
export function heldBy({ shots = [] }: TextReading): number {
  return shots.reduce((sum, { png }) => sum + (png?.byteLength ?? 0), 0)
}

const NOT_ASKED = 'A page was read for a question that this monitor does not ask.'
