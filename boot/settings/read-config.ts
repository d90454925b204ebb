import { ExplainedError } from '../../core/explained-error.ts'
import { scrub } from '../../core/scrub.ts'
import { CLIENT_VARIABLES } from '../../schema/config/client-variables.ts'
import { Config } from '../../schema/config/config.ts'
import { SECRET_SETTINGS, secretFileOf } from '../../schema/config/secret-settings.ts'
import { settingIssues, type SettingRule } from '../../schema/config/setting-rule.ts'
import { SETTING_RULES } from '../../schema/config/setting-rules.ts'
import { closestKey, didYouMean, type Issue } from '../../schema/validation/issue.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { readSecretFiles } from './secret-files.ts'
import { serviceLinks } from './service-links.ts'
import { listOf, unreadableSettings } from './unreadable-settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>
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
 * empty variable counts as unset. `rules` are those of the command beside the rules of all. Throws SettingsError with
 * every fault.
 */
export function readSettings(given: Environment, rules: readonly SettingRule[] = []): Settings {
  const { config, issues, ignored } = judged(given, rules)
  if (config === null || issues.length > 0) throw new SettingsError(issues)
  return settingsOf(config, ignored)
}

/** What can be read of an environment that may have faults. */
interface ReadableSettings {
  /** Those that are not valid have their defaults. */
  readonly settings: Settings
  readonly issues: readonly Issue[]
  /** The environment with the secrets that were read from files. */
  readonly environment: Environment
  /** The settings that are set, and where, also those that are not valid. */
  readonly set: readonly { readonly name: string; readonly from: 'environment' | 'file' }[]
}

/** Reads what can be read, for a command that reports what is wrong instead of refusing it. */
export function readableSettings(given: Environment): ReadableSettings {
  const { issues, ignored, values, environment, files } = judged(given, [])
  const wrong = new Set(issues.map(({ path }) => path.replace(/_FILE$/, '')))
  const right = Object.fromEntries(Object.entries(values).filter(([name]) => !wrong.has(name)))
  const { config } = checkedSettings(right, [])
  if (config === null) throw new SettingsError(issues)
  const set = Object.keys(Config.properties).flatMap((name) => {
    const from = files.has(name) || Boolean(given[`${name}_FILE`]) ? ('file' as const) : ('environment' as const)
    return from === 'file' || Object.hasOwn(values, name) ? [{ name, from }] : []
  })
  return { settings: settingsOf(config, ignored), issues, environment, set }
}

function settingsOf(config: Config, ignored: ReadonlySet<string>): Settings {
  return {
    ...config,
    allowPrivateCidrs: listOf(config.TIDEMARK_ALLOW_PRIVATE_CIDRS),
    denyCidrs: listOf(config.TIDEMARK_DENY_CIDRS),
    trustedProxies: listOf(config.TIDEMARK_TRUSTED_PROXIES),
    ignored: [...ignored].sort(),
  }
}

/** Returns what an environment contains, with every fault. `config` is null when some setting has a wrong form. */
function judged(given: Environment, rules: readonly SettingRule[]) {
  const { environment, files, issues: faultsOfFiles } = readSecretFiles(given)
  const values: Record<string, unknown> = {}
  const ignored = serviceLinks(environment)
  for (const [name, shape] of Object.entries(Config.properties as Record<string, SettingShape>)) {
    const text = ignored.has(name) ? undefined : environment[name]
    if (text !== undefined && text !== '')
      values[name] = shape.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text
  }
  const { config, issues } = checkedSettings(values, rules)
  const unread = new Set(faultsOfFiles.map(({ path }) => path))
  // A setting whose file has a fault is not missing.
  const others = issues.filter(({ path }) => !unread.has(`${path}_FILE`))
  const all = [
    ...unknownNames(environment, ignored),
    ...faultsOfFiles,
    ...others.map((issue) => withFile(withValue(issue, environment), files)),
  ]
  return { config, issues: all, ignored, values, environment, files }
}

/** Returns the setting that a command-line option was meant for: `port` is PORT, `data-dir` TIDEMARK_DATA_DIR. */
export function settingOfOption(option: string): string | null {
  const name = option.toUpperCase().replaceAll('-', '_')
  return [name, `TIDEMARK_${name}`].find((setting) => Object.hasOwn(Config.properties, setting)) ?? null
}

/**
 * Returns the settings and their faults. A setting of a wrong form is left out and the rest is checked again, so that
 * no fault hides another. `config` is null when some setting has a wrong form.
 */
function checkedSettings(
  given: Readonly<Record<string, unknown>>,
  rules: readonly SettingRule[],
): { readonly config: Config | null; readonly issues: readonly Issue[] } {
  const { validate } = checkerOf(Config)
  const wrong: Issue[] = []
  for (let rest = given; ;) {
    const checked = validate(rest, { defaults: true })
    if (checked.ok) {
      const isNew = ({ path }: Issue) => wrong.every((issue) => issue.path !== path)
      const across = [
        ...settingIssues(checked.value, [...SETTING_RULES, ...rules]),
        ...unreadableSettings(checked.value),
      ].filter(isNew)
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
