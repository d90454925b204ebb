import type { Config } from '../../../schema/config/config.ts'
import type { Issue } from '../../../schema/validation/issue.ts'

type OidcSettings = Pick<Config, 'TIDEMARK_OIDC_ISSUER' | 'TIDEMARK_OIDC_CLIENT_ID' | 'TIDEMARK_OIDC_CLIENT_SECRET'>

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Returns what is wrong with the settings of the OpenID Connect provider. */
export function oidcIssues(config: OidcSettings): Issue[] {
  const { TIDEMARK_OIDC_ISSUER: issuer } = config
  const rest = ['TIDEMARK_OIDC_CLIENT_ID', 'TIDEMARK_OIDC_CLIENT_SECRET'] as const
  if (issuer === undefined)
    return rest
      .filter((path) => config[path] !== undefined)
      .map((path) => ({ path, message: 'needs TIDEMARK_OIDC_ISSUER: the provider that it belongs to' }))
  const url = URL.parse(issuer)
  const isSafe =
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname)))
  return [
    ...(isSafe && url.search === '' && url.hash === ''
      ? []
      : [
          {
            path: 'TIDEMARK_OIDC_ISSUER',
            message: 'must be an https address without a query, as the provider names itself',
          },
        ]),
    ...rest
      .filter((path) => config[path] === undefined)
      .map((path) => ({ path, message: 'is required with TIDEMARK_OIDC_ISSUER: the provider issues it' })),
  ]
}
