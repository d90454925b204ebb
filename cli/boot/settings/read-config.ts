import { listedKeys } from '../../../core/derived-key.ts'
import { ExplainedError } from '../../../core/explained-error.ts'
import { scrub } from '../../../core/logger.ts'
import { parseCidr } from '../../../egress/address.ts'
import { parseProxyUrl } from '../../../runners/fetch/proxy/proxy-address.ts'
import { readEndpoints } from '../../../runners/serp/endpoints.ts'
import { CLIENT_VARIABLES } from '../../../schema/config/client-variables.ts'
import { Config } from '../../../schema/config/config.ts'
import { SECRET_SETTINGS, secretFileOf } from '../../../schema/config/secret-settings.ts'
import { closestKey, didYouMean, type Issue } from '../../../schema/validation/issue.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { mailIssues } from './mail-issues.ts'
import { modelIssues } from './model-issues.ts'
import { objectIssues } from './object-issues.ts'
import { oidcIssues } from './oidc-issues.ts'
import { runnerIssues } from './runner-issues.ts'
import { readSecretFiles } from './secret-files.ts'
import { serviceLinks } from './service-links.ts'
import { stripeIssues } from './stripe-issues.ts'

type Environment = Readonly<Record<string, string | undefined>>
interface SettingShape {
  readonly type?: string
}

/** The settings that a start needs. Defaults are applied; lists are split. */
export interface Settings extends Config {
  readonly allowPrivateCidrs: readonly string[]
  readonly denyCidrs: readonly string[]
  readonly trustedProxies: readonly string[]
  /** Names of variables that Kubernetes set for a Service, and that look like settings. */
  readonly ignored: readonly string[]
}

/** An error that lists all invalid settings at once, so that a person can correct them together. */
export class SettingsError extends ExplainedError {
  override readonly name = 'SettingsError'
  readonly issues: readonly Issue[]
  constructor(issues: readonly Issue[]) {
    super(
      [
        'The settings are not valid:',
        ...issues.map(({ path, message }) => `  ${path} ${message}`),
        'See docs/settings.md.',
      ].join('\n'),
    )
    this.issues = issues
  }
}

/**
 * Reads the environment, and the files that it names for secrets, and validates it with schema/config/config.ts. An
 * empty variable counts as unset. `needs` returns what the command misses in valid settings. Throws SettingsError with
 * every fault.
 */
export function readSettings(given: Environment, needs: (config: Config) => readonly Issue[] = none): Settings {
  const { environment, files, issues: faultsOfFiles } = readSecretFiles(given)
  const values: Record<string, unknown> = {}
  const ignored = serviceLinks(environment)
  for (const [name, shape] of Object.entries(Config.properties as Record<string, SettingShape>)) {
    const text = ignored.has(name) ? undefined : environment[name]
    if (text !== undefined && text !== '')
      values[name] = shape.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text
  }
  const { config, issues } = checkedSettings(values, needs)
  const unread = new Set(faultsOfFiles.map(({ path }) => path))
  // A setting whose file has a fault is not missing.
  const others = issues.filter(({ path }) => !unread.has(`${path}_FILE`))
  const all = [
    ...unknownNames(environment, ignored),
    ...faultsOfFiles,
    ...others.map((issue) => withFile(withValue(issue, environment), files)),
  ]
  if (config === null || all.length > 0) throw new SettingsError(all)
  return {
    ...config,
    allowPrivateCidrs: list(config.TIDEMARK_ALLOW_PRIVATE_CIDRS),
    denyCidrs: list(config.TIDEMARK_DENY_CIDRS),
    trustedProxies: list(config.TIDEMARK_TRUSTED_PROXIES),
    ignored: [...ignored].sort(),
  }
}

/** Returns the setting that a command-line option was meant for: `port` is PORT, `data-dir` TIDEMARK_DATA_DIR. */
export function settingOfOption(option: string): string | null {
  const name = option.toUpperCase().replaceAll('-', '_')
  return [name, `TIDEMARK_${name}`].find((setting) => Object.hasOwn(Config.properties, setting)) ?? null
}

const none = (): readonly Issue[] => []

/**
 * Returns the settings and their faults. A setting of a wrong form is left out and the rest is checked again, so that
 * no fault hides another. `config` is null when some setting has a wrong form.
 */
function checkedSettings(
  given: Readonly<Record<string, unknown>>,
  needs: (config: Config) => readonly Issue[],
): { readonly config: Config | null; readonly issues: readonly Issue[] } {
  const { validate } = checkerOf(Config)
  const wrong: Issue[] = []
  for (let rest = given; ;) {
    const checked = validate(rest, { defaults: true })
    if (checked.ok) {
      const isNew = ({ path }: Issue) => wrong.every((issue) => issue.path !== path)
      const across = [...acrossSettings(checked.value), ...needs(checked.value)].filter(isNew)
      return { config: wrong.length > 0 ? null : checked.value, issues: [...wrong, ...across] }
    }
    wrong.push(...checked.issues)
    const names = new Set(checked.issues.map(({ path }) => path))
    const left = Object.entries(rest).filter(([name]) => !names.has(name))
    // Without a setting to leave out, the next round would be the same.
    if (left.length === Object.keys(rest).length) return { config: null, issues: wrong }
    rest = Object.fromEntries(left)
  }
}

const LONGEST_VALUE = 100

/** Returns the fault with the value that is wrong. The value of a secret setting is never shown. */
function withValue({ path, message }: Issue, environment: Environment): Issue {
  const value = Object.hasOwn(Config.properties, path) ? environment[path] : undefined
  if (value === undefined || value === '' || SECRET.has(path)) return { path, message }
  // Before the value is cut: what is left of a secret looks like none. A password may hold what ends one in a log line.
  const clean = scrub(value.replace(/:\/\/.*@/s, '://[redacted]@'))
  const shown = JSON.stringify(
    clean.length > LONGEST_VALUE ? `${clean.slice(0, LONGEST_VALUE).toWellFormed()}…` : clean,
  )
  return { path, message: message.includes(shown) ? message : `${message}; it is ${shown}` }
}

/** Returns the fault of a setting that was read from a file with the file. */
function withFile({ path, message }: Issue, files: ReadonlyMap<string, string>): Issue {
  const file = files.get(path)
  return file === undefined ? { path, message } : { path: `${path}_FILE`, message: `(${file}) ${message}` }
}

const SECRET: ReadonlySet<string> = new Set(SECRET_SETTINGS)

/**
 * Reports unknown names, because a misspelt setting would silently have its default. Names of tests and of related
 * tools are ignored.
 */
function unknownNames(environment: Environment, ignored: ReadonlySet<string>): Issue[] {
  const known = new Set([...Object.keys(Config.properties), ...SECRET_SETTINGS.map(secretFileOf)])
  const foreign = ['TIDEMARK_SHARED', ...Object.keys(CLIENT_VARIABLES)]
  return Object.keys(environment)
    .filter(
      (name) =>
        name.startsWith('TIDEMARK_') &&
        !name.startsWith('TIDEMARK_TEST_') &&
        !known.has(name) &&
        !ignored.has(name) &&
        !foreign.includes(name),
    )
    .map((name) => ({ path: name, message: `is not a setting${didYouMean(meantSetting(name, [...known]))}` }))
}

/** Compares without the prefix, which would make all settings alike. */
function meantSetting(name: string, known: readonly string[]): string | null {
  const short = (setting: string) => setting.replace(/^TIDEMARK_/, '')
  const meant = closestKey(short(name), known.map(short))
  return known.find((setting) => short(setting) === meant) ?? null
}

function acrossSettings(config: Config): Issue[] {
  const issues: Issue[] = []
  const add = (path: string, message: string) => issues.push({ path, message })
  issues.push(...keyIssues(config))
  issues.push(...databaseIssues(config))
  for (const name of ['TIDEMARK_BASE_URL', 'TIDEMARK_DASHBOARD_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const)
    if (config[name] !== undefined && (!/^https?:\/\/[^/]+/.test(config[name]) || URL.parse(config[name]) === null))
      add(name, 'must be an http:// or https:// address')
  issues.push(
    ...mailIssues(config),
    ...oidcIssues(config),
    ...modelIssues(config),
    ...objectIssues(config),
    ...runnerIssues(config),
    ...stripeIssues(config),
    ...endpointIssues(config),
    ...providerIssues(config),
  )
  const proxy = config.TIDEMARK_PROXY_URL === undefined ? null : parseProxyUrl(config.TIDEMARK_PROXY_URL)
  if (proxy && !proxy.ok) add('TIDEMARK_PROXY_URL', proxy.message)
  for (const name of ['TIDEMARK_ALLOW_PRIVATE_CIDRS', 'TIDEMARK_DENY_CIDRS', 'TIDEMARK_TRUSTED_PROXIES'] as const)
    for (const entry of list(config[name]))
      if (parseCidr(entry) === null)
        add(name, `contains ${JSON.stringify(entry)}, which is not a network such as 10.0.0.0/8`)
  return issues
}

/** Returns what is wrong with the list of keys, without repeating one. */
function keyIssues({ DATABASE_URL, TIDEMARK_ENCRYPTION_KEY: text }: Config): Issue[] {
  const path = 'TIDEMARK_ENCRYPTION_KEY'
  const needed =
    'is required with DATABASE_URL: 32 random bytes as base64 or hex, the same for every process on that database'
  if (text === undefined) return DATABASE_URL === undefined ? [] : [{ path, message: needed }]
  const keys = listedKeys(text)
  const at = keys.findIndex((key) => key.length < SHORTEST_KEY)
  if (at !== -1) return [{ path, message: `has a key of fewer than ${SHORTEST_KEY} characters: number ${at + 1}` }]
  if (keys.length === 0) return [{ path, message: 'lists no key' }]
  if (keys.length > MOST_KEYS) return [{ path, message: `lists more than ${MOST_KEYS} keys` }]
  return new Set(keys).size < keys.length ? [{ path, message: 'lists a key twice' }] : []
}

/** The values of sslmode that the database client knows. */
const SSL_MODES = ['disable', 'require', 'no-verify']
/** Parameters that libpq knows, and that would have no effect here. */
const UNREAD_PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey']

function databaseIssues({ DATABASE_URL: text }: Config): Issue[] {
  const path = 'DATABASE_URL'
  if (text === undefined) return []
  if (!/^postgres(ql)?:\/\//.test(text)) return [{ path, message: 'must begin with postgres:// or postgresql://' }]
  const url = URL.parse(text)
  // An @ behind the host is one of a password that a sign before it has cut.
  if (url === null || !isDecodable(text) || /@/.test(url.pathname + url.search + url.hash))
    return [
      {
        path,
        message:
          'is not an address such as postgres://user:password@host:5432/name; in a user or a password, signs such as ' +
          '@ : / ? # % are written in percent-encoding (@ is %40)',
      },
    ]
  const mode = url.searchParams.get('sslmode')
  const issues: Issue[] = []
  if (mode !== null && !SSL_MODES.includes(mode))
    issues.push({
      path,
      message: 'has an sslmode that is not known; use require (which checks the certificate), disable or no-verify',
    })
  for (const name of UNREAD_PARAMETERS)
    if (url.searchParams.has(name))
      issues.push({
        path,
        message: `has ${name}, which has no effect; set NODE_EXTRA_CA_CERTS to a PEM file of the authority`,
      })
  return issues
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

export const SHORTEST_KEY = 16
const MOST_KEYS = 10

function providerIssues({ TIDEMARK_SERP_PROVIDER_URL: address, TIDEMARK_SERP_PROVIDER_KEY: key }: Config): Issue[] {
  const path = address === undefined ? 'TIDEMARK_SERP_PROVIDER_URL' : 'TIDEMARK_SERP_PROVIDER_KEY'
  if ((address === undefined) !== (key === undefined))
    return [{ path, message: 'is required with the other setting of the search provider' }]
  if (address === undefined || key === undefined) return []
  const isUrl = /^https?:$/.test(URL.parse(address)?.protocol ?? '')
  return [
    ...(isUrl ? [] : [{ path: 'TIDEMARK_SERP_PROVIDER_URL', message: 'must be an http:// or https:// address' }]),
    // The key is sent in a header too.
    ...(/^[\x21-\x7e]+$/.test(key) ? [] : [{ path, message: 'must be printable ASCII without spaces' }]),
  ]
}

function endpointIssues({ TIDEMARK_SERP_ENDPOINTS: text }: Config): Issue[] {
  const read = readEndpoints(text)
  return typeof read === 'string' ? [{ path: 'TIDEMARK_SERP_ENDPOINTS', message: read }] : []
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
