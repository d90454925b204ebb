import type { Fetched } from '../fetch/fetched.ts'
import type { FetchedFacts } from './reading.ts'

const MAX_TYPE = 1000

/** Returns how an answer was fetched. */
export function factsOf(fetched: Fetched): FetchedFacts {
  const { status, durationMs } = fetched
  if (!fetched.ok || fetched.kind !== 'body') return { status, durationMs, contentType: null, bytes: null }
  const { contentType, body } = fetched
  return { status, durationMs, contentType: contentType?.slice(0, MAX_TYPE) ?? null, bytes: body.byteLength }
}
