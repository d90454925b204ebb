import { getServers } from 'node:dns'
import { isIP } from 'node:net'
import { isLocalhost, plainName, systemResolver } from '../../egress/resolve.ts'
import { readEndpoints } from '../../runners/serp/endpoints.ts'
import type { Config } from '../../schema/config/config.ts'
import type { Settings } from '../settings/read-config.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { failed, notSetUp, ok } from './finding.ts'
import { decoded } from './hide-secrets.ts'

/** Settings whose hosts this program connects to. */
const ADDRESSES = [
  'DATABASE_URL',
  'SMTP_URL',
  'LLM_BASE_URL',
  'TIDEMARK_PROXY_URL',
  'S3_ENDPOINT',
  'TIDEMARK_OIDC_ISSUER',
  'TIDEMARK_SERP_PROVIDER_URL',
  'TIDEMARK_RUNNER_API_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'STRIPE_API_URL',
] as const satisfies readonly (keyof Config)[]

export const dnsCheck: DoctorCheck = {
  limitMs: 12_000,
  reads: [],
  async look({ settings }) {
    const names = namesIn(settings)
    if (names.length === 0) return notSetUp('No setting contains the name of a host, so no name server was asked.')
    const resolver = systemResolver()
    const asked = await Promise.all(
      names.map(async ({ setting, name }) => ({ setting, answer: await resolver.resolve(name) })),
    )
    const servers = getServers().length
    const unresolved = asked.flatMap(({ setting, answer }) =>
      answer.ok ? [] : [{ setting, isAbsent: answer.failure.kind === 'dns' && answer.failure.cause === 'not_found' }],
    )
    const listed = (of: typeof unresolved) => [...new Set(of.map(({ setting }) => setting))].join(', ')
    const absent = unresolved.filter(({ isAbsent }) => isAbsent)
    if (absent.length > 0)
      return failed(`There is no host of the name in ${listed(absent)}.`, 'Correct the host, or the hosts file.')
    if (unresolved.length > 0)
      return failed(
        `No name server answers for the host in ${listed(unresolved)} (name servers of this machine: ${servers}).`,
        'Check the name servers of this machine (/etc/resolv.conf), and the network.',
      )
    return ok(`The names of hosts in ${[...new Set(names.map(({ setting }) => setting))].join(', ')} have addresses.`)
  },
}

/** Returns the names in settings, without addresses and without this machine. */
function namesIn(settings: Settings): readonly { readonly setting: string; readonly name: string }[] {
  const endpoints = readEndpoints(settings.TIDEMARK_SERP_ENDPOINTS)
  const urls: (readonly [string, string])[] = [
    ...ADDRESSES.map((setting) => [setting, settings[setting] ?? ''] as const),
    ...Object.values(typeof endpoints === 'string' ? {} : endpoints).map(
      (origin) => ['TIDEMARK_SERP_ENDPOINTS', origin] as const,
    ),
  ]
  return urls.flatMap(([setting, text]) => {
    const name = plainName(decoded(URL.parse(text)?.hostname ?? ''))
    return name === '' || name.startsWith('/') || isIP(name) !== 0 || isLocalhost(name) ? [] : [{ setting, name }]
  })
}
