import { formOf, needs, requiredWith, type Setting, type SettingForm, type SettingRule } from './setting-rule.ts'

const isWeb = (text: string): boolean => /^https?:\/\/[^/]+/.test(text) && URL.parse(text) !== null

const WEB_ADDRESS: SettingForm = {
  message: 'must be an http:// or https:// address',
  accepts: ['http://127.0.0.1:8080', 'https://example.com/a'],
  rejects: ['example.com', 'ftp://example.com', 'https://', 'http://[::1'],
  holds: isWeb,
}

/** Likewise, and the slashes may be missing. */
const WEB_SCHEME: SettingForm = {
  ...WEB_ADDRESS,
  rejects: ['example.com', 'ftp://example.com', 'http://[::1'],
  holds: (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
}

const hasNoUser = ({ username, password }: URL): boolean => username === '' && password === ''
const hasNoQuery = ({ search, hash }: URL): boolean => search === '' && hash === ''

/** What is sent in a header. */
const PRINTABLE: SettingForm = {
  message: 'must be printable ASCII without spaces',
  accepts: ['sk-live_1.~'],
  rejects: ['two words', 'käse', 'line\nbreak'],
  holds: (text) => /^[\x21-\x7e]+$/.test(text),
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))

/** The values of sslmode that the database client knows. */
const SSL_MODES = ['disable', 'require', 'no-verify']
const isPostgres = (text: string): boolean => /^postgres(ql)?:\/\//.test(text)

/** The same of an address that can be read. What cannot be is left to another rule. */
const partOf = (
  setting: Setting,
  { holds, ...form }: Omit<SettingForm, 'holds'> & { holds(url: URL): boolean },
): SettingRule =>
  formOf(setting, {
    ...form,
    holds(text) {
      const url = isWeb(text) || isPostgres(text) ? URL.parse(text) : null
      return url === null || holds(url)
    },
  })

/** Libpq knows these parameters, and they would have no effect here. */
const unread = (name: string): SettingRule =>
  partOf('DATABASE_URL', {
    message: `has ${name}, which has no effect; set NODE_EXTRA_CA_CERTS to a PEM file of the authority`,
    accepts: ['postgres://db/name?sslmode=require'],
    rejects: [`postgres://db/name?${name}=a.pem`],
    holds: ({ searchParams }) => !searchParams.has(name),
  })

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The rules of every command. What only a parser can judge is judged where it is parsed. */
export const SETTING_RULES: readonly SettingRule[] = [
  requiredWith(
    'TIDEMARK_ENCRYPTION_KEY',
    'DATABASE_URL',
    ': 32 random bytes as base64 or hex, the same for every process on that database',
  ),
  formOf('DATABASE_URL', {
    message: 'must begin with postgres:// or postgresql://',
    accepts: ['postgres://db/name', 'postgresql://db/name'],
    rejects: ['mysql://db/name', 'db/name'],
    holds: isPostgres,
  }),
  formOf('DATABASE_URL', {
    message:
      'is not an address such as postgres://user:password@host:5432/name; in a user or a password, signs such as ' +
      '@ : / ? # % are written in percent-encoding (@ is %40)',
    accepts: ['postgres://user:p%40ss@db:5432/name'],
    rejects: ['postgres://user:p%ss@db/name', 'postgres://user:p/a@db/name', 'postgres://db:port/name'],
    holds(text) {
      const url = URL.parse(text)
      // An @ behind the host is one of a password that a sign before it has cut.
      const isRead = url !== null && isDecodable(text) && !/@/.test(url.pathname + url.search + url.hash)
      return isRead || !isPostgres(text)
    },
  }),
  partOf('DATABASE_URL', {
    message: 'has an sslmode that is not known; use require (which checks the certificate), disable or no-verify',
    accepts: ['postgres://db/name?sslmode=require', 'postgres://db/name?sslmode=no-verify'],
    rejects: ['postgres://db/name?sslmode=verify-full', 'postgres://db/name?sslmode='],
    holds({ searchParams }) {
      const mode = searchParams.get('sslmode')
      return mode === null || SSL_MODES.includes(mode)
    },
  }),
  ...['sslrootcert', 'sslcert', 'sslkey'].map(unread),
  ...(['TIDEMARK_BASE_URL', 'TIDEMARK_DASHBOARD_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const).map((setting) =>
    formOf(setting, WEB_ADDRESS),
  ),
  requiredWith('SMTP_FROM', 'SMTP_URL', ': the address that mail comes from'),
  formOf('TIDEMARK_OIDC_ISSUER', {
    message: 'must be an https address without a query, as the provider names itself',
    accepts: ['https://id.example.com/realms/main', 'http://localhost:8000', 'http://[::1]:8000'],
    rejects: ['http://id.example.com', 'https://id.example.com/?a=b', 'id.example.com'],
    holds(text) {
      const url = URL.parse(text)
      return url !== null && isSafe(url) && hasNoQuery(url)
    },
  }),
  ...(['TIDEMARK_OIDC_CLIENT_ID', 'TIDEMARK_OIDC_CLIENT_SECRET'] as const).flatMap((setting) => [
    needs(setting, 'TIDEMARK_OIDC_ISSUER', ': the provider that it belongs to'),
    requiredWith(setting, 'TIDEMARK_OIDC_ISSUER', ': the provider issues it'),
  ]),
  requiredWith('LLM_BASE_URL', 'LLM_API_KEY', ': the address of the endpoint that the key is for'),
  formOf('LLM_BASE_URL', {
    message: 'must be an http:// or https:// address, as in https://models.example.com/v1',
    accepts: WEB_ADDRESS.accepts,
    rejects: WEB_ADDRESS.rejects,
    holds: isWeb,
  }),
  partOf('LLM_BASE_URL', {
    message: 'must not contain a user or password; the key is LLM_API_KEY',
    accepts: ['https://models.example.com/v1'],
    rejects: ['https://user@models.example.com/v1', 'https://:pass@models.example.com/v1'],
    holds: hasNoUser,
  }),
  partOf('LLM_BASE_URL', {
    message: 'must end with its path: /chat/completions is appended to it',
    accepts: ['https://models.example.com/v1'],
    rejects: ['https://models.example.com/v1?a=b', 'https://models.example.com/v1#a'],
    holds: hasNoQuery,
  }),
  formOf('LLM_API_KEY', PRINTABLE),
  requiredWith('AWS_ACCESS_KEY_ID', 'S3_BUCKET'),
  requiredWith('AWS_SECRET_ACCESS_KEY', 'S3_BUCKET'),
  formOf('S3_BUCKET', {
    message: 'is not a bucket name: letters, digits, dots and hyphens',
    accepts: ['pictures', 'My.bucket-2'],
    rejects: ['-a', 'a/b', 'a'],
    holds: (text) => /^[a-z0-9][a-z0-9._-]+$/i.test(text),
  }),
  requiredWith('S3_BUCKET', 'S3_ENDPOINT'),
  formOf('S3_ENDPOINT', {
    message: 'must be an http:// or https:// address without a path',
    accepts: ['http://minio:9000', 'https://s3.example.com/'],
    rejects: ['minio:9000', 'http://minio:9000/bucket', 'http://user@minio'],
    holds: (text) => /^https?:\/\/[^/?#@]+\/?$/.test(text) && URL.parse(text) !== null,
  }),
  {
    setting: 'TIDEMARK_CHROMIUM_SANDBOX',
    message:
      'can be auto only with TIDEMARK_BROWSER_SOCKET: a browser without its sandbox must not run beside secrets; ' +
      'see docs/runners.md',
    accepts: [
      { TIDEMARK_CHROMIUM_SANDBOX: 'required' },
      { TIDEMARK_CHROMIUM_SANDBOX: 'auto', TIDEMARK_BROWSER_SOCKET: '/run/browser/socket' },
    ],
    rejects: [{ TIDEMARK_CHROMIUM_SANDBOX: 'auto' }],
    holds: (settings) =>
      settings.TIDEMARK_CHROMIUM_SANDBOX !== 'auto' || settings.TIDEMARK_BROWSER_SOCKET !== undefined,
  },
  formOf('TIDEMARK_RUNNER_TOKEN', PRINTABLE),
  formOf('TIDEMARK_RUNNER_API_URL', {
    message: 'must be an http:// or https:// address without a query',
    accepts: ['http://tidemark-worker:8081'],
    rejects: ['tidemark-worker:8081', 'http://tidemark-worker:8081?a=b'],
    holds(text) {
      const url = URL.parse(text)
      return isWeb(text) && url !== null && hasNoQuery(url)
    },
  }),
  partOf('TIDEMARK_RUNNER_API_URL', {
    message: 'must not contain a user or password; use TIDEMARK_RUNNER_TOKEN',
    accepts: ['http://tidemark-worker:8081'],
    rejects: ['http://user:password@tidemark-worker:8081'],
    holds: hasNoUser,
  }),
  ...(['STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICES'] as const).flatMap((setting) => [
    needs(setting, 'STRIPE_SECRET_KEY'),
    requiredWith(setting, 'STRIPE_SECRET_KEY'),
  ]),
  formOf('STRIPE_API_URL', WEB_SCHEME),
  ...[
    requiredWith('TIDEMARK_SERP_PROVIDER_URL', 'TIDEMARK_SERP_PROVIDER_KEY'),
    requiredWith('TIDEMARK_SERP_PROVIDER_KEY', 'TIDEMARK_SERP_PROVIDER_URL'),
  ].map((rule) => ({ ...rule, message: 'is required with the other setting of the search provider' })),
  formOf('TIDEMARK_SERP_PROVIDER_URL', WEB_SCHEME),
  // It is sent in a header too.
  formOf('TIDEMARK_SERP_PROVIDER_KEY', PRINTABLE),
]

/** A command cannot do without a setting. */
const requiredBy = (setting: Setting, message: string): SettingRule => ({
  setting,
  message,
  accepts: [{ [setting]: 'x' }],
  rejects: [{}],
  holds: (settings) => settings[setting] !== undefined,
})

/** What a command needs besides that shares its database: the embedded one belongs to one process. */
export const databaseRules = (command: string): readonly SettingRule[] => [
  requiredBy(
    'DATABASE_URL',
    `is required by "tidemark ${command}"; "tidemark serve" runs everything with an embedded Postgres`,
  ),
]

/** What `tidemark browser` needs besides. */
export const BROWSER_RULES: readonly SettingRule[] = [
  requiredBy('TIDEMARK_BROWSER_SOCKET', 'is required by "tidemark browser": it listens there'),
]

/** What `tidemark runner` needs besides. */
export const RUNNER_RULES: readonly SettingRule[] = [
  requiredBy('TIDEMARK_RUNNER_API_URL', 'is required by "tidemark runner": the TIDEMARK_RUNNER_API_PORT of a worker'),
  requiredBy(
    'TIDEMARK_RUNNER_TOKEN',
    'or TIDEMARK_RUNNER_TOKEN_FILE is required by "tidemark runner"; "tidemark admin create-runner-token" makes one',
  ),
  {
    setting: 'TIDEMARK_BROWSER_PAGES',
    message: 'must be at least 1 for "tidemark runner", which does nothing else',
    accepts: [{ TIDEMARK_BROWSER_PAGES: 1 }],
    rejects: [{ TIDEMARK_BROWSER_PAGES: 0 }],
    holds: (settings) => settings.TIDEMARK_BROWSER_PAGES !== 0,
  },
]
