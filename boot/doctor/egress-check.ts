import { connect } from 'node:net'
import { parseProxyUrl } from '../../runners/fetch/proxy/proxy-address.ts'
import { SettingsError } from '../settings/read-config.ts'
import { readTrust } from '../settings/read-trust.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { faultCode } from './fault-code.ts'
import { failed, ok, sentence, warning } from './finding.ts'

const CONNECT_MS = 5_000
/** Variables that other programs take a proxy from. */
const FOREIGN = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy']

export const egressCheck: DoctorCheck = {
  limitMs: CONNECT_MS + 5_000,
  reads: ['TIDEMARK_ALLOW_PRIVATE_CIDRS', 'TIDEMARK_DENY_CIDRS', 'TIDEMARK_PROXY_URL'],
  async look({ settings, environment }) {
    const { allowPrivateCidrs, denyCidrs, TIDEMARK_PROXY_URL: proxy } = settings
    const told = [
      allowPrivateCidrs.length === 0
        ? 'no private network is allowed'
        : `private networks that are allowed: ${allowPrivateCidrs.join(', ')}`,
      ...(denyCidrs.length === 0 ? [] : [`denied besides: ${denyCidrs.join(', ')}`]),
      proxy === undefined ? 'there is no proxy' : 'there is a proxy for sites that refuse',
    ]
    const what = sentence(told.join('; '))
    try {
      readTrust(settings)
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      return failed(sentence(error.issues.map((issue) => `${issue.path} ${issue.message}`).join('; ')), 'Correct it.')
    }
    const fault = proxy === undefined ? null : await connectionFaultOf(proxy)
    if (fault !== null)
      return failed(`${what} The proxy cannot be reached (${fault}).`, 'Start it, or correct TIDEMARK_PROXY_URL.')
    const wide = allowPrivateCidrs.find((cidr) => cidr.endsWith('/0'))
    if (wide !== undefined)
      return warning(what, `Allow only the networks that are watched: ${wide} allows every private address.`)
    const foreign = FOREIGN.filter((name) => (environment[name] ?? '') !== '')
    if (foreign.length > 0)
      return warning(
        `${what} ${foreign.join(', ')} ${foreign.length === 1 ? 'is' : 'are'} set, and checks do not use it.`,
        'Where sites are reached by a proxy only, set TIDEMARK_PROXY_URL; see docs/proxy.md.',
      )
    return ok(what)
  },
}

/** Returns why the proxy cannot be connected to; null: it can. Nothing is sent to it. */
async function connectionFaultOf(url: string): Promise<string | null> {
  const parsed = parseProxyUrl(url)
  if (!parsed.ok) return 'its address cannot be read'
  const { host, port } = parsed.proxy
  const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: CONNECT_MS })
  try {
    return await new Promise<string | null>((resolve) => {
      socket.once('connect', () => resolve(null))
      socket.once('timeout', () => resolve('it does not answer'))
      socket.once('error', (error) => resolve(faultCode(error)))
    })
  } finally {
    socket.destroy()
  }
}
