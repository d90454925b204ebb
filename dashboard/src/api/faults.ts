import { ApiFault } from './client.ts'

/** What a person reads of a fault: what is wrong, and what to do. */
interface Explained {
  readonly what: string
  readonly next: string
}

/** Returns a fault in words. `ofCredentials`: what a 401 says, where a password was asked for. */
export function explain(error: unknown, ofCredentials = 'Your session has ended.'): Explained {
  if (!(error instanceof ApiFault)) return { what: 'The page has an error.', next: 'Load it again.' }
  const { status, message, requestId, isOfAction } = error
  if (status === 0 && isOfAction)
    return {
      what: 'It may not have been done: the server does not answer.',
      next: 'Look once it answers, and do it again if not.',
    }
  if (status === 0) return { what: message, next: 'It is asked again by itself. What you see may be old.' }
  if (status === 401) return { what: ofCredentials, next: 'Sign in again, and go on where you were.' }
  if (status === 404)
    return { what: 'There is no such thing in this team.', next: 'It was deleted, or it is of another team.' }
  if (status === 409)
    return {
      what: message,
      next: isOfAction
        ? 'Look at what is shown now, and do it again.'
        : 'Load the page again to see the team of this session.',
    }
  const again = isOfAction ? 'Do it again in a moment.' : 'The page asks again by itself.'
  if (status === 429) return { what: message, next: again }
  const where = requestId === null ? '' : ` Its log has the details under ${requestId}.`
  if (status >= 500) return { what: `The server has an error.${where}`, next: again }
  return { what: message, next: 'Change what you asked for.' }
}

const LONGEST_MS = 60_000

/** A person who waits for longer is told why. */
const LONGEST_QUIET_MS = 5_000
const MOST_TRIES = 3

/** Returns how long a server asks to wait before a further try; 0 where it does not. */
export const askedMs = (error: unknown): number =>
  Math.min(LONGEST_MS, (error instanceof ApiFault ? error.retryMs : null) ?? 0)

/** Returns how long the page waits before a further try: so long as the server says, or else longer each time. */
export const retryMs = (count: number, error: unknown): number =>
  askedMs(error) || Math.min(LONGEST_MS, 1_000 * 2 ** count)

/** Returns whether what is read is asked for again, `count` tries later, before a person is told that it failed. */
export const isRetriedQuietly = (count: number, error: unknown): boolean =>
  isPassing(error) && count < MOST_TRIES && askedMs(error) <= LONGEST_QUIET_MS

/** Returns whether there is no such thing in the team of the session. */
export const isMissing = (error: unknown): boolean => error instanceof ApiFault && error.status === 404

/** Whether a request is worth another try. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiFault && (error.status === 0 || error.status === 429 || error.status >= 500)
