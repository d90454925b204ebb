import { ApiFault } from '../../api/client.ts'
import { explain } from '../../api/faults.ts'

/** Returns what a refusal of something that a person asked for says, and what they can do. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiFault) || error.status === 0 || error.status === 401) {
    const { what, next } = explain(error)
    return `${what} ${next}`
  }
  const { status, retryMs, message } = error
  if ((status !== 429 && status !== 503) || message.includes('Try again')) return message
  return retryMs === null ? `${message} Try again later.` : `${message} Try again in ${Math.ceil(retryMs / 1_000)} s.`
}
