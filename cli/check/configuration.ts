import type { EgressPolicy } from '../../egress/policy.ts'
import { parseTargetUrl } from '../../egress/target-url.ts'
import type { ManifestText } from '../../manifests/manifest.ts'
import { checkPage } from '../../monitors/check/check-configuration.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { firstIssues, type Issue } from '../../schema/validation/issue.ts'
import { parseJsonText } from '../../schema/validation/parse-json-text.ts'
import { cleanOf } from './clean-of.ts'
import { extractOf, headersOf, templateOf } from './extract-of.ts'
import type { CheckOptions } from './options.ts'
import { UsageError } from './usage-error.ts'

/** What to check, and how. */
export interface Configuration {
  readonly spec: MonitorSpec
  /** Addresses and files, at least one. */
  readonly targets: readonly string[]
  /** True when no option named what to extract. */
  readonly isDefault: boolean
  /** Show the text of a message about a change. */
  readonly hasMessage: boolean
}

/** The address of a monitor that only reads files. */
const NO_ADDRESS = 'https://example.com/'

/** Reads the command line, except the targets themselves. Throws UsageError with everything that is wrong. */
export async function configurationOf(
  io: ProcessIo,
  targets: readonly string[],
  options: CheckOptions,
  egress: EgressPolicy,
): Promise<Configuration> {
  const said = extractOf(options)
  refuseWithoutMonitor(options)
  refuseWithOutline(options, said?.said ?? null)
  const { monitor } = options
  if (monitor !== undefined) return ofMonitor(io, targets, { ...options, monitor }, egress)
  const template = options.template === undefined ? null : templateOf(options.template)
  const all = targets.length > 0 || !template ? targets : exampleOf(template)
  refuseTargets(all)
  const body = bodyOf(template?.config.extract ?? said?.extract ?? { method: 'full_page' }, options)
  const relabel = ({ path, message }: Issue) => `${pathAsOption(path, said?.said ?? '--template')} ${message}`
  return { spec: checked(body, egress, relabel), targets: all, isDefault: !template && !said, hasMessage: false }
}

/** Returns the monitor that the options describe, unchecked. */
function bodyOf(extract: object, { readAs, waitFor, clean, header, browser }: CheckOptions): object {
  return {
    name: 'check',
    url: NO_ADDRESS,
    schedule_interval_seconds: 3600,
    extract_config: {
      ...extract,
      ...(readAs !== undefined && { read_as: readAs }),
      ...(waitFor !== undefined && { wait_for: waitFor }),
      ...(clean !== undefined && { clean: cleanOf(clean) }),
    },
    diff_predicate: { type: 'any_field_changes' },
    request_headers: headersOf(header),
    ...((browser || waitFor !== undefined) && { fetch_mode: 'browser' }),
  }
}

function refuseWithoutMonitor({ monitor, name, message }: CheckOptions): void {
  if (monitor !== undefined) return
  if (name !== undefined) throw new UsageError('--name chooses among the manifests of --monitor, which is not given')
  if (message) throw new UsageError('--message shows the text that a monitor sends, so it needs --monitor')
}

function refuseWithOutline({ outline, readAs, clean, watch }: CheckOptions, rules: string | null): void {
  const others = { '--read-as': readAs !== undefined, '--clean': clean !== undefined, '--watch': watch === true }
  const other = rules ?? Object.entries(others).find(([, isGiven]) => isGiven)?.[0] ?? null
  if (outline && other !== null)
    throw new UsageError(`--outline shows what rules could read, so it cannot be combined with ${other}`)
}

/**
 * Refuses an address that no run could fetch, because it is a typing error. A private address is left to the egress
 * guard.
 */
function refuseTargets(targets: readonly string[]): void {
  if (targets.length === 0) throw new UsageError('name a file or an address to check')
  const faults = targets.flatMap((target) => {
    const parsed = /^[a-z][a-z+.-]*:\/\//i.test(target) ? parseTargetUrl(target) : null
    return parsed === null || parsed.ok ? [] : [`${target.replace(/\/\/.*@/, '//…@')}: ${parsed.message}`]
  })
  if (faults.length > 0) throw new UsageError(faults.join('\n'))
}

function exampleOf({ slug, example_url, description }: ReturnType<typeof templateOf>): string[] {
  if (example_url !== null) return [example_url]
  throw new UsageError(`the template ${slug} has no address of its own; name one. ${description}`)
}

async function ofMonitor(
  io: ProcessIo,
  targets: readonly string[],
  options: CheckOptions & { readonly monitor: string },
  egress: EgressPolicy,
): Promise<Configuration> {
  const path = options.monitor
  refuseBesideMonitor(options)
  if (path === '-' && targets.includes('-')) throw new UsageError('standard input cannot be both monitor and page')
  refuseTargets(['-', ...targets])
  // Only a file of a monitor needs what reads manifests.
  const { manifestSpec, monitorTexts } = await import('./manifest-monitor.ts')
  const texts = await monitorTexts(io, path)
  const body = bodyIn(texts)
  if (body !== null && options.name !== undefined)
    throw new UsageError(`--name chooses among manifests, and ${path} is a body of POST /v1/monitors`)
  // Text that is not JSON is a manifest in YAML.
  const spec =
    body === null
      ? manifestSpec(io, texts, { path, name: options.name }, egress)
      : checked(
          body,
          egress,
          ({ path: at, message }) => `  ${at === '' ? path : at} ${message}`,
          `${path} is not a monitor that could be created:\n`,
        )
  return {
    spec,
    targets: targets.length > 0 ? targets : [spec.url],
    isDefault: false,
    hasMessage: options.message === true,
  }
}

/** Options that say what the file of a monitor says, each with where it stands there. */
const IN_MONITOR = [
  ['header', '--header', 'the headers into its request_headers'],
  ['browser', '--browser', '"fetch_mode": "browser" into it'],
  ['readAs', '--read-as', '"read_as" into its extract_config'],
  ['waitFor', '--wait-for', '"wait_for" into its extract_config'],
  ['clean', '--clean', '"clean" into its extract_config'],
] as const

function refuseBesideMonitor(options: CheckOptions): void {
  for (const [key, option, what] of IN_MONITOR)
    if (options[key] !== undefined) throw new UsageError(`${option} cannot be combined with --monitor: write ${what}`)
}

/** Returns the body of the API that is the only text; null where the texts are manifests. */
function bodyIn(texts: readonly ManifestText[]): unknown {
  const [only, ...others] = texts
  if (!only || others.length > 0) return null
  const read = parseJsonText(only.text)
  if (read.ok) return isManifest(read.value) ? null : read.value
  // YAML that begins as JSON does is JSON with a fault.
  if (/^\s*[{[<]/.test(only.text)) throw new UsageError(`${only.file} is not JSON: ${read.fault}`)
  return null
}

const isManifest = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && 'apiVersion' in value && 'kind' in value

/** Validates the body as POST /v1/monitors does, and reports all errors at once. */
function checked(body: unknown, egress: EgressPolicy, line: (issue: Issue) => string, heading = ''): MonitorSpec {
  const result = checkPage(body, { egress, isNew: true })
  if (result.kind === 'invalid') {
    const lines = firstIssues(result.issues).map(line)
    const rest = result.issues.length - lines.length
    throw new UsageError(heading + [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n'))
  }
  return result.spec
}

/** Returns the option for a path: `extract_config.fields.price` becomes `--css price=…`. */
function pathAsOption(path: string, option: string): string {
  const field = /^extract_config\.fields(?:\.|\[")?(.*?)(?:"\])?$/.exec(path)
  if (field) return field[1] === '' ? `${option}:` : `${option} ${field[1]}:`
  const treatment = /^extract_config\.clean(?:\.|\[")?(.*?)(?:"\])?(?:\[\d+\](.*))?$/.exec(path)
  if (treatment) return `--clean ${treatment[1] ?? ''}:${(treatment[2] ?? '').replace('.', ' ')}`
  if (path === 'extract_config.wait_for') return '--wait-for'
  if (path === 'extract_config.read_as') return '--read-as'
  return path.startsWith('request_headers') ? `--header${path.slice('request_headers'.length)}` : path
}
