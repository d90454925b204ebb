import {
  endFormerRunnerToken,
  type ReusedRunnerToken,
  revokeReusedRunnerToken,
} from '../../store/accounts/credentials/runner-token-exchange.ts'
import { findLiveRunnerToken, type LiveRunnerToken } from '../../store/accounts/credentials/runner-tokens.ts'
import type { Store } from '../../store/db/client.ts'
import { apiError } from '../http/api-error.ts'

const BEARER = /^bearer ([^\s]+)$/i

/** Called when a token was revoked because the one before it was used. */
export type OnReused = (reused: ReusedRunnerToken) => void

/**
 * Returns the token of a request. The first use of a token ends the one before it, and the use of one that has ended
 * revokes the token that took its place. Throws UNAUTHORIZED, with the same message for every cause.
 */
export async function runnerToken(
  store: Store,
  authorization: string | undefined,
  onReused: OnReused,
): Promise<LiveRunnerToken> {
  const text = BEARER.exec(authorization ?? '')?.[1]
  if (text === undefined) throw noToken()
  const token = await findLiveRunnerToken(store, text)
  if (token === null) {
    const reused = await revokeReusedRunnerToken(store, text)
    if (reused !== null) onReused(reused)
    throw noToken()
  }
  if (token.former !== null) await endFormerRunnerToken(store, token.former)
  return token
}

export const noToken = () =>
  apiError('UNAUTHORIZED', 'This needs a runner token that is neither expired nor revoked, as Authorization: Bearer.')
