import { ExplainedError } from '../../core/explained-error.ts'

/**
 * The error of a runner whose token is missing, invalid, expired or revoked. Nothing that the runner does can succeed
 * until it has another token.
 */
export class TokenRefusedError extends ExplainedError {
  override readonly name = 'TokenRefusedError'
  constructor() {
    super(
      'the runner API refuses the runner token: it is wrong, expired or revoked, as both are where two ' +
        'runners were given one that is renewed; create another with "./tidemark admin create-runner-token --job ' +
        'NAME", or with Docker Compose by "docker compose up"',
    )
  }
}
