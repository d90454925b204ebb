import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, apiError } from '../http/api-error.ts'
import type { PrivateRoute, PublicRoute } from '../http/route.ts'
import type { Services } from '../services.ts'
import { mayBeCrossSite } from './cross-site.ts'
import { forbidden, permits, POLICIES, type Policy, type PolicyName } from './policies.ts'
import type { Principal } from './principals.ts'
import { addressBlock, clientAddress, type RateLimits, type RateRule } from './rate-limits.ts'

/** Calls without valid credentials, a minute for each address. */
const ANONYMOUS_PER_MINUTE = 60

/**
 * Admits the callers that the route's policy allows. It checks credentials, limit, origin and permission, in this order
 * and before the body is read. Throws the refusal.
 */
export async function admit(
  services: Services,
  route: PrivateRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Principal> {
  const principal = await services.principals.find(request.headers)
  if (!principal) {
    await limitAnonymous(services, request, reply)
    throw new ApiError('UNAUTHORIZED', 'The credentials are missing or not valid.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  if (services.rateLimit > 0) {
    const subject = principal.kind === 'key' ? `key:${principal.keyId}` : `session:${principal.sessionId}`
    await limit(services.limits, { subject, perMinute: services.rateLimit, exact: false }, reply)
  }
  if (
    principal.kind === 'session' &&
    principal.viaCookie &&
    mayBeCrossSite(request.method, request.headers, services.trustedOrigins)
  )
    throw apiError('FORBIDDEN', 'A request with a cookie must come from the pages of this service.')
  const refused = refusal(route.policy, principal) ?? wrongTeam(request.headers['tidemark-team'], principal)
  if (refused) throw refused
  return principal
}

/** Admits every caller, within the limit for its address. */
export async function admitPublic(
  services: Services,
  route: PublicRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (route.perAddress !== undefined)
    await limit(
      route.isCountedHere ? services.ownLimits : services.limits,
      {
        subject: `${route.countedAs ?? `${route.method} ${route.path}`}:${addressBlock(clientAddress(request))}`,
        perMinute: route.perAddress,
        exact: true,
      },
      reply,
    )
  else if (route.path.startsWith('/v1/')) await limitAnonymous(services, request, reply)
}

async function limitAnonymous(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (services.rateLimit === 0) return
  await limit(
    services.limits,
    { subject: `anonymous:${addressBlock(clientAddress(request))}`, perMinute: ANONYMOUS_PER_MINUTE, exact: true },
    reply,
  )
}

async function limit(limits: RateLimits, rule: RateRule, reply: FastifyReply): Promise<void> {
  const { passed, limit: most, remaining, resetSeconds } = await limits.take(rule)
  reply.headers({
    'ratelimit-policy': `"default";q=${most};w=60`,
    ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
  })
  if (!passed) throw tooMany(resetSeconds)
}

/** Returns the 429 of a rate limit. */
export const tooMany = (resetSeconds: number): ApiError =>
  new ApiError('RATE_LIMIT_EXCEEDED', `Too many requests. Try again in ${resetSeconds} s.`, {
    headers: { 'retry-after': String(resetSeconds) },
  })

/**
 * A program may say for which team it shows something. Returns the refusal where its session acts for another one by
 * now, because somebody has switched teams in another window. Null: it acts for this team, or the program says none.
 */
function wrongTeam(wanted: string | string[] | undefined, { teamId }: Principal): ApiError | null {
  if (wanted === undefined || String(wanted).toLowerCase() === teamId) return null
  return apiError('CONFLICT', 'This session acts for another team now. Switch to the team, or read everything again.')
}

/**
 * Returns null when the principal is allowed. Otherwise returns the 403; its message names the role, the permission and
 * the person to ask.
 */
function refusal(name: PolicyName, principal: Principal): ApiError | null {
  if (permits(name, principal)) return null
  const { permission, scope }: Policy = POLICIES[name]
  if (principal.kind === 'session')
    return forbidden(`Your role ${principal.role} does not allow you to ${permission}`, name)
  if (scope === null) return forbidden(`An API key does not allow you to ${permission}`, name)
  return forbidden(`An API key with the scope ${principal.scopes.join(', ')} does not allow you to ${permission}`, name)
}
