import { classify, unmapped } from './address.ts'
import { addressBytes } from './cidr.ts'
import { DENIED } from './egress-failure.ts'
import type { EgressFailure } from './egress-failure.ts'
import { sameHost } from './policy.ts'
import type { EgressPolicy, Endpoint } from './policy.ts'
import { isLocalhost, plainName } from './resolve.ts'
import type { Address, Resolver } from './resolve.ts'

export type Vetted =
  | { readonly ok: true; readonly addresses: readonly Address[] }
  | { readonly ok: false; readonly failure: EgressFailure }

const REFUSED: Vetted = { ok: false, failure: DENIED }

/**
 * The resolve half of resolve-and-pin: the addresses that may be dialled for a host and port, in the resolver's order.
 * One bad address refuses the whole answer, since a name that mixes public and private addresses has no honest use.
 * Never rejects.
 */
export async function vet(target: Endpoint, policy: EgressPolicy, resolver: Resolver): Promise<Vetted> {
  const name = plainName(target.host)
  const resolved = await resolver.resolve(name)
  if (!resolved.ok) return hidesFailure(name, policy) ? REFUSED : resolved
  const { addresses } = resolved
  // localhost is both loopback addresses by definition; an operator who opened one of them meant it.
  const allowed = addresses.filter(({ address }) => policy.refusal(address, target.port) === null)
  if (allowed.length === 0 || (allowed.length < addresses.length && !isLocalhost(name))) return REFUSED
  for (const own of policy.namedEndpoints(target.port)) {
    if (plainName(own.host) === name || (await leadsTo(own, allowed, resolver))) return REFUSED
  }
  return { ok: true, addresses: allowed }
}

/**
 * Whether any address belongs to an endpoint of ours that is known by name. When that name does not resolve just now,
 * private addresses are refused (one of them may be it), public ones are not (our database going away must not stop
 * every check on its port).
 */
async function leadsTo(own: Endpoint, addresses: readonly Address[], resolver: Resolver): Promise<boolean> {
  const resolved = await resolver.resolve(own.host)
  if (!resolved.ok) return addresses.some(({ address }) => classify(address) !== 'public')
  return addresses.some(({ address }) => {
    const bytes = unmapped(addressBytes(address) ?? [])
    return resolved.addresses.some((other) => sameHost(other.address, bytes))
  })
}

const INTERNAL_NAME =
  /^[^.]+$|\.(?:internal|local|localdomain|svc|cluster\.local|lan|home|corp|intranet|private|home\.arpa)$/

/**
 * For names that only a private resolver knows, a failed lookup must not be told from a refused address: else names can
 * be probed.
 */
function hidesFailure(name: string, policy: EgressPolicy): boolean {
  return !policy.opensPrivate && INTERNAL_NAME.test(name)
}
