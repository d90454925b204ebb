import { hash, X509Certificate } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { plainName } from './resolve.ts'

/** A client certificate, and the only hosts and teams that it is used for. */
export interface ClientCertificate {
  /** Names, as URLs have them; on every port. */
  readonly hosts: readonly string[]
  /** Ids of teams. */
  readonly teams: readonly string[]
  /** PEM, with the chain. */
  readonly cert: string
  readonly key: string
}

interface TrustOptions {
  /** `TIDEMARK_EXTRA_CA_FILE`: PEM certificates of authorities that are trusted beside the well-known ones. */
  readonly authorities?: readonly string[]
  readonly clientCertificates?: readonly ClientCertificate[]
}

/** Which certificates of servers are accepted, and which client certificates are shown to which server. */
export interface Trust {
  /** For connections without a client certificate. */
  readonly context: SecureContext
  /** Returns the context with the client certificate for this host and team; null: there is none. */
  clientContext(hostname: string, team: string): SecureContext | null
  /** Whether there is neither an additional authority nor a client certificate. */
  readonly isPlain: boolean
  /** Whether there is an additional authority: any host may have a certificate of it. */
  readonly hasAuthorities: boolean
}

const OLDEST = { minVersion: 'TLSv1.2' } as const

/** Throws an Error of OpenSSL when a certificate or key cannot be read. */
export function createTrust({ authorities = [], clientCertificates = [] }: TrustOptions = {}): Trust {
  const isPlain = authorities.length === 0 && clientCertificates.length === 0
  const all = authorities.length === 0 ? {} : { ca: [...getCACertificates('default'), ...authorities] }
  const byHostAndTeam = new Map<string, SecureContext>()
  for (const { hosts, teams, cert, key } of clientCertificates) {
    const context = createSecureContext({ ...OLDEST, ...all, cert, key })
    // In a worker a team is known by its id, on a runner by a hash of it.
    const names = teams.flatMap((team) => [team, teamKey(team)])
    for (const host of hosts) for (const name of names) byHostAndTeam.set(`${host} ${name}`, context)
  }
  return {
    isPlain,
    hasAuthorities: authorities.length > 0,
    context: createSecureContext({ ...OLDEST, ...all }),
    clientContext: (hostname, team) =>
      byHostAndTeam.size === 0 ? null : (byHostAndTeam.get(`${plainName(hostname)} ${team}`) ?? null),
  }
}

/** Returns what stands for a team on a runner: a hash of its random id, from which the id cannot be computed. */
export function teamKey(team: string): string {
  return hash('sha256', `team ${team}`, 'hex').slice(0, 32)
}

/** Splits a bundle into its PEM certificates. Returns the number of the first one that cannot be read instead. */
export function parseBundle(text: string): readonly string[] | number {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  const bad = certificates.findIndex((pem) => !isCertificate(pem))
  return bad === -1 ? certificates : bad + 1
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
