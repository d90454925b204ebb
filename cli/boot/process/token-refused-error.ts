import { ExplainedError } from '../../../core/explained-error.ts'

/** A runner whose token is none, or not any more: nothing that it does can succeed until it is given another. */
export class TokenRefusedError extends ExplainedError {
  override readonly name = 'TokenRefusedError'
  constructor() {
    super(
      'the lane refuses the runner token: it is wrong, has ended or was revoked; make another with "npx tidemark ' +
        'admin create-runner-token --job NAME"',
    )
  }
}
