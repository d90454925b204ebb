import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { EgressPolicy } from '../runners/guard/policy.ts'
import type { Store } from '../store/client.ts'
import type { SecretBox } from '../store/secret-box.ts'
import type { Principal } from './principal.ts'

/** What the routes work with. The command that serves makes it; tests make it on a database of their own. */
export interface Services {
  readonly store: Store
  readonly secrets: SecretBox
  readonly egress: EgressPolicy
  /** Address under which people reach the API, without a slash at its end. */
  readonly baseUrl: string
  /** Tells the workers of this process that something is due now. */
  poke(): void
  /** The credentials of a request, or null where they are missing or not good: all such answers are alike. */
  authenticate(headers: IncomingHttpHeaders): Promise<Principal | null>
  readonly log: FastifyBaseLogger
}
