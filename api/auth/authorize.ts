import { type ApiError, apiError } from '../http/api-error.ts'
import { POLICIES, type Policy, type PolicyName } from './policy.ts'
import type { Principal } from './principal.ts'
import { atLeast } from '../../schema/account/role.ts'

const ADVICE = 'Ask a team admin or the owner.'

/**
 * Returns null when the principal is allowed. Otherwise returns the 403; its message names the role, the permission and
 * the person to ask.
 */
export function refusal(name: PolicyName, principal: Principal): ApiError | null {
  const policy: Policy = POLICIES[name]
  if (principal.kind === 'session') {
    if (atLeast(principal.role, policy.role)) return null
    return forbidden(`Your role ${principal.role} does not allow you to ${policy.permission}`, name)
  }
  if (policy.scope === null) return forbidden(`An API key does not allow you to ${policy.permission}`, name)
  // The scope write includes read.
  if (principal.scopes.includes(policy.scope) || principal.scopes.includes('write')) return null
  return forbidden(
    `An API key with the scope ${principal.scopes.join(', ')} does not allow you to ${policy.permission}`,
    name,
  )
}

const forbidden = (what: string, name: PolicyName) => apiError('FORBIDDEN', `${what} (${name}). ${ADVICE}`)
