import { findLiveRunnerToken, type LiveRunnerToken } from '../../store/accounts/credentials/runner-tokens.ts'
import type { Store } from '../../store/db/client.ts'
import { apiError } from '../http/api-error.ts'

const BEARER = /^bearer ([^\s]+)$/i

/** Returns the token of a request. Throws UNAUTHORIZED, with the same message for every cause. */
export async function runnerToken(store: Store, authorization: string | undefined): Promise<LiveRunnerToken> {
  const text = BEARER.exec(authorization ?? '')?.[1]
  const token = text === undefined ? null : await findLiveRunnerToken(store, text)
  if (token === null)
    throw apiError(
      'UNAUTHORIZED',
      'This needs a runner token that is neither expired nor revoked, as Authorization: Bearer.',
    )
  return token
}
