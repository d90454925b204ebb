import type { ReusedRunnerToken } from '../../store/accounts/credentials/runner-token-exchange.ts'

/** The `error_code` of the notice that a runner token was revoked because it was used after its end. */
export const RUNNER_TOKEN_REUSED = 'runner_token_reused'

/** Returns whose token it was, what that means, and what to do. */
export const runnerTokenText = ({ job }: Pick<ReusedRunnerToken, 'job'>): string =>
  [
    `The runner ${job} had renewed its token, and somebody used the one from before. Either that one was copied, or ` +
      'two runners were given the same token.',
    'Both are revoked, and the checks of the runner go to others. Look at who could read the token. Then create ' +
      `another with "./tidemark admin create-runner-token --job ${job} --renew", one for each runner; with Docker ` +
      'Compose, by "docker compose up".',
  ].join('\n')
