import { classify, unmapped } from './address.ts'
import { addressBytes } from './cidr.ts'
import { DENIED } from './egress-failure.ts'
import type { EgressFailure } from './egress-failure.ts'
import { sameHost } from './policy.ts'
import type { EgressPolicy, Endpoint } from './policy.ts'
import { isLocalhost, plainName } from './resolve.ts'
import type { Address, Resolver } from './resolve.ts'

type Vetted =
  | { readonly ok: true; readonly addresses: readonly Address[] }
  | { readonly ok: false; readonly failure: EgressFailure }

const REFUSED: Vetted = { ok: false, failure: DENIED }

/**
 * The resolve half of resolve-and-pin. Returns the addresses that may be dialled for a host and port, in the resolver's
 * order. One refused address refuses the whole result: a name that mixes public and private addresses has no legitimate
 * use. Never rejects.
 */
export async function vet(target: Endpoint, policy: EgressPolicy, resolver: Resolver): Promise<Vetted> {
  const name = plainName(target.host)
  const resolved = await resolver.resolve(name)
  if (!resolved.ok) return hidesFailure(name, policy) ? REFUSED : resolved
  const { addresses } = resolved
  // localhost is both loopback addresses by definition; an operator who opened one of them meant that one.
  const allowed = addresses.filter(({ address }) => policy.refusal(address, target.port) === null)
  if (allowed.length === 0 || (allowed.length < addresses.length && !isLocalhost(name))) return REFUSED
  for (const own of policy.namedEndpoints(target.port)) {
    if (plainName(own.host) === name || (await leadsTo(own, allowed, resolver))) return REFUSED
  }
  return { ok: true, addresses: allowed }
}

/**
 * Returns whether any address belongs to an endpoint of this installation that is known by name. When that name does
 * not resolve at the moment, private addresses are refused, because one of them may be the endpoint. Public ones are
 * allowed: a database that is down must not stop every check on its port.
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
 * Returns whether a failed lookup is reported as a refused address. For names that only a private resolver knows, the
 * two must look the same: otherwise names can be probed.
 */
function hidesFailure(name: string, policy: EgressPolicy): boolean {
  return !policy.opensPrivate && INTERNAL_NAME.test(name)
}
