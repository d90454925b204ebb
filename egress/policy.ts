import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { classifyBytes, embeddedIPv4, neverReason, unmapped, addressBytes, cidr, holds, type Cidr } from './address.ts'
import { OPENING_SETTING } from './egress-failure.ts'
import { REFUSED_PORTS } from './refused-ports.ts'
import { createTrust, type Trust } from './trust.ts'

/**
 * An endpoint of this installation that no check may reach: the database, the cluster's API server. `host` is a name or
 * a literal address.
 */
export interface Endpoint {
  readonly host: string
  readonly port: number
}

interface PolicyOptions {
  /** `TIDEMARK_ALLOW_PRIVATE_CIDRS`: private ranges that are allowed as targets. Each must satisfy `parseCidr`. */
  readonly allowPrivateCidrs: readonly string[]
  /** `TIDEMARK_DENY_CIDRS`: refused whatever else allows them. Each must satisfy `parseCidr`. */
  readonly denyCidrs?: readonly string[]
  readonly neverAllow: readonly Endpoint[]
  /**
   * The ports of Tidemark's own database, which are refused on every address that a setting opened. A database has more
   * addresses than its name resolves to: those of its pods, replicas and poolers. Default: none.
   */
  readonly databasePorts?: readonly number[]
  /** Default: the well-known authorities, and no client certificates. */
  readonly trust?: Trust
  /** What a person sets to open a range. Default: the setting. */
  readonly opensWith?: string
}

/** What an installation denies beside what is denied always. Workers hand it to their runners. */
export interface Denials {
  readonly cidrs: readonly string[]
  readonly endpoints: readonly Endpoint[]
  /** See `databasePorts` of the policy. Absent: a worker of an older version does not tell. */
  readonly databasePorts?: readonly number[]
}

/**
 * Decides which targets are allowed, by address and port alone. The same object guards checks, redirects, webhooks and
 * the browser's egress proxy.
 */
export interface EgressPolicy {
  /**
   * Returns why this address and port are not allowed, or null when they are. The reason is for logs and for literal
   * addresses when a URL is saved; never put it into a run's message.
   */
  refusal(address: string, port: number): string | null
  /**
   * Returns the named endpoints of `neverAllow` on this port. `refusal` does not cover them: the caller must look up
   * their addresses.
   */
  namedEndpoints(port: number): readonly Endpoint[]
  /** Returns whether `TIDEMARK_ALLOW_PRIVATE_CIDRS` could allow this address, whatever it allows now. */
  canOpen(address: string): boolean
  /** Whether a setting opens any private range. */
  readonly opensPrivate: boolean
  /** What a person sets to open a range: the setting, or a value of the chart. Messages name it. */
  readonly opensWith: string
  readonly denials: Denials
  /** Which certificates are accepted of targets, and shown to them. */
  readonly trust: Trust
}

/** The policy of a process that learns later what else to deny. */
export interface RunnerPolicy extends EgressPolicy {
  /** Replaces what was denied by an earlier call. Throws TypeError on a range that does not parse. */
  deny(more: Denials): void
}

/** Builds the policy of a runner from its own settings; what its worker denies is added by `deny`. */
export function createRunnerPolicy(options: PolicyOptions): RunnerPolicy {
  let policy = createPolicy(options)
  return {
    refusal: (address, port) => policy.refusal(address, port),
    namedEndpoints: (port) => policy.namedEndpoints(port),
    canOpen: (address) => policy.canOpen(address),
    opensPrivate: policy.opensPrivate,
    opensWith: policy.opensWith,
    trust: policy.trust,
    get denials() {
      return policy.denials
    },
    deny(more) {
      const denyCidrs = [...(options.denyCidrs ?? []), ...more.cidrs]
      const neverAllow = [...options.neverAllow, ...more.endpoints]
      const databasePorts = [...(options.databasePorts ?? []), ...(more.databasePorts ?? [])]
      policy = createPolicy({ ...options, trust: policy.trust, denyCidrs, neverAllow, databasePorts })
    },
  }
}

const DATABASE_PORT = 'on the port of the database of this installation'
const LOOPBACK = [cidr('127.0.0.0/8'), cidr('::1')]

/** Builds the policy from settings. Throws TypeError on a range that does not parse; settings are validated earlier. */
export function createPolicy(options: PolicyOptions): EgressPolicy {
  const opened = options.allowPrivateCidrs.map(cidr)
  const denied = (options.denyCidrs ?? []).map(cidr)
  const databasePorts = new Set(options.databasePorts)
  const literal = options.neverAllow.filter((endpoint) => isIP(bare(endpoint.host)) !== 0)
  const named = options.neverAllow.filter((endpoint) => isIP(bare(endpoint.host)) === 0)
  return {
    opensPrivate: opened.length > 0,
    opensWith: options.opensWith ?? OPENING_SETTING,
    trust: options.trust ?? createTrust(),
    denials: { cidrs: options.denyCidrs ?? [], endpoints: options.neverAllow, databasePorts: [...databasePorts] },
    namedEndpoints: (port) => named.filter((endpoint) => endpoint.port === port),
    canOpen(address) {
      const raw = addressBytes(address)
      return raw !== null && neverReason(unmapped(raw)) === null && !isIn(denied, unmapped(raw))
    },
    refusal(address, port) {
      const raw = addressBytes(address)
      if (raw === null) return 'not an address'
      const bytes = unmapped(raw)
      if (literal.some((own) => own.port === port && sameHost(own.host, bytes)))
        return 'an endpoint of this installation'
      const never = neverReason(bytes)
      if (never !== null) return never
      if (isIn(denied, bytes)) return 'denied by the operator of this installation'
      if (isOpened(opened, bytes)) return databasePorts.has(port) ? DATABASE_PORT : null
      const kind = classifyBytes(bytes)
      if (kind !== 'public') return kind.denied
      return REFUSED_PORTS.has(port) ? 'a port that is not fetched on public addresses' : null
    },
  }
}

function bare(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

/** Returns whether a range contains the address, or the IPv4 address that it carries. */
function isIn(ranges: readonly Cidr[], bytes: readonly number[]): boolean {
  const inner = embeddedIPv4(bytes)
  return ranges.some((range) => holds(range, bytes) || (inner !== null && holds(range, inner)))
}

/**
 * Returns whether the operator opened the address. An address that carries an IPv4 address needs an allowed inner
 * address as well.
 */
function isOpened(opened: readonly Cidr[], bytes: readonly number[]): boolean {
  if (!opened.some((range) => holds(range, bytes))) return false
  const inner = embeddedIPv4(bytes)
  if (inner === null) return true
  return classifyBytes(inner) === 'public' || opened.some((range) => holds(range, inner))
}

/**
 * Returns whether an address leads to `host`. A service on loopback is reached through every loopback address. When it
 * listens on all interfaces, it is reached through each address of this machine too. All of them count as the same
 * host.
 */
export function sameHost(host: string, bytes: readonly number[]): boolean {
  const own = addressBytes(bare(host))
  if (own === null) return false
  const target = unmapped(own)
  // A gateway may lead an IPv6 address to the IPv4 address that it carries.
  const inner = embeddedIPv4(bytes)
  const leadsTo = inner === null ? [bytes] : [bytes, inner]
  if (leadsTo.some((one) => equal(target, one))) return true
  return isThisMachine(target) && leadsTo.some(isThisMachine)
}

function isThisMachine(bytes: readonly number[]): boolean {
  if (bytes.every((byte) => byte === 0) || LOOPBACK.some((range) => holds(range, bytes))) return true
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .some((entry) => equal(addressBytes(entry.address) ?? [], bytes))
}

function equal(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
