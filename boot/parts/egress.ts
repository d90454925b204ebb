import { isIPv6 } from 'node:net'
import { OPENING_SETTING } from '../../egress/egress-failure.ts'
import { createPolicy, type Denials, type EgressPolicy, type Endpoint } from '../../egress/policy.ts'
import { systemResolver, type Resolver } from '../../egress/resolve.ts'
import type { Settings } from '../settings/read-config.ts'
import { readTrust } from '../settings/read-trust.ts'

type EgressSettings = Pick<
  Settings,
  | 'TIDEMARK_EXTRA_CA_FILE'
  | 'TIDEMARK_CLIENT_CERTIFICATES_FILE'
  | 'allowPrivateCidrs'
  | 'denyCidrs'
  | 'TIDEMARK_INSTALLED_BY'
  | 'DATABASE_URL'
  | 'KUBERNETES_SERVICE_HOST'
  | 'KUBERNETES_SERVICE_PORT'
>

/**
 * Returns the policy of the egress guard: which addresses checks and deliveries may reach. The settings can allow
 * private ranges. Tidemark's own database and the cluster's API server are never allowed.
 */
export function egressPolicy(settings: EgressSettings): EgressPolicy {
  return createPolicy(policyOptions(settings))
}

/** Returns the options of the policy, for a process that adds endpoints to them. */
export function policyOptions(settings: EgressSettings) {
  const { allowPrivateCidrs, denyCidrs, DATABASE_URL, KUBERNETES_SERVICE_HOST: host } = settings
  const database = DATABASE_URL === undefined ? [] : databaseEndpoints(DATABASE_URL)
  const cluster = host === undefined ? [] : [{ host: canonical(host), port: settings.KUBERNETES_SERVICE_PORT }]
  const databasePorts = [...new Set(database.map(({ port }) => port))]
  const neverAllow = [...database, ...cluster]
  // The chart does not take the setting itself: it opens the network policies too.
  const opensWith = settings.TIDEMARK_INSTALLED_BY === 'chart' ? 'egress.allowPrivateCidrs' : OPENING_SETTING
  return { allowPrivateCidrs, denyCidrs, neverAllow, databasePorts, trust: readTrust(settings), opensWith }
}

const POSTGRES_PORT = '5432'

/** Returns where a database listens. A host in the query is the one that is used; both are denied. */
function databaseEndpoints(databaseUrl: string): Endpoint[] {
  const url = URL.parse(databaseUrl)
  if (url === null) return []
  const named = [decodeURIComponent(url.hostname), ...(url.searchParams.get('host') ?? '').split(',')]
  const ports = [url.port || POSTGRES_PORT, ...(url.searchParams.get('port') ?? '').split(',')]
  // A path is a socket file. Without a host, the client uses this machine.
  const hosts = named.filter((host) => host !== '' && !host.startsWith('/'))
  const all = hosts.length === 0 && !url.searchParams.has('host') ? ['localhost'] : hosts
  return all.flatMap((host) =>
    ports.filter((port) => port !== '').map((port) => ({ host: canonical(host), port: Number(port) })),
  )
}

/** Returns a host as a URL of http has it: 2130706433 is an address, as it is for the database client. */
function canonical(host: string): string {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host
  return URL.parse(`http://${isIPv6(bare) ? `[${bare}]` : bare}/`)?.hostname ?? host
}

/** After this time the names of endpoints are resolved again. */
const AGAIN_MS = 30_000

/**
 * Returns what runners have to deny: the policy's denials, and the addresses of endpoints that it knows by name,
 * because a runner may resolve the name in another way. An address that was known stays while its name does not
 * resolve.
 */
export function denialsForRunners(egress: EgressPolicy, resolver: Resolver = systemResolver()): () => Promise<Denials> {
  const { endpoints, ...others } = egress.denials
  const addresses = new Map<Endpoint, readonly Endpoint[]>()
  let resolvedAt = -Infinity
  return async () => {
    if (performance.now() - resolvedAt > AGAIN_MS) {
      resolvedAt = performance.now()
      await Promise.all(endpoints.map(async (own) => note(own, await resolver.resolve(own.host))))
    }
    return { ...others, endpoints: [...endpoints, ...[...addresses.values()].flat()] }
  }

  function note(own: Endpoint, resolved: Awaited<ReturnType<Resolver['resolve']>>): void {
    if (resolved.ok)
      addresses.set(
        own,
        resolved.addresses.map(({ address }) => ({ host: address, port: own.port })),
      )
  }
}
