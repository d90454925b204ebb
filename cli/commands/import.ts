import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { READ_BY_MONITORS } from '../../core/custom-resource/annotations.ts'
import { type MonitorManifest, monitorManifest } from '../../core/custom-resource/monitor-manifest.ts'
import { keyOfIdentity, resourceName } from '../../core/custom-resource/resource-name.ts'
import { printable } from '../../core/printable.ts'
import { createPolicy } from '../../egress/policy.ts'
import { lostIn, takenOver } from '../../manifests/import/count-settings.ts'
import type { ImportedMonitor, Reporters } from '../../manifests/import/imported.ts'
import { type ImportedTool, readImport, readReporters } from '../../manifests/import/read-import.ts'
import { manifestYaml } from '../../manifests/manifest-yaml.ts'
import { MAX_BYTES } from '../../manifests/read-manifests.ts'
import { checkPage } from '../../monitors/check/check-configuration.ts'
import { print, tell } from '../../platform/print.ts'
import { pathIn, type ProcessIo } from '../../platform/process-io.ts'
import { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { MONITOR_RESOURCE } from '../../schema/resource-kind.ts'
import { readText } from '../check/source.ts'
import { dataText, formOf, type OutputForm, type OutputOptions } from '../output.ts'

/** The options of `tidemark import`. */
export interface ImportFlags extends OutputOptions {
  /** The folder to write to. Default: standard output. */
  readonly dir?: string
  /** Seconds between two checks, for tools whose jobs have no interval. */
  readonly interval: number
  /** The file with the reporters of urlwatch or webchanges. */
  readonly reporters?: string
}

/** Addresses of one's own network are allowed where the manifests are applied, or not. */
const ANY_ADDRESS = createPolicy({ allowPrivateCidrs: ['0.0.0.0/0', '::/0'], neverAllow: [] })

/**
 * Writes the configuration of another tool as manifests, and a line for everything that has no equivalent to standard
 * error. Returns what is wrong with the command line or the file; null when it was read.
 */
export async function importFile(
  io: ProcessIo,
  { tool, file: path }: { readonly tool: ImportedTool; readonly file: string },
  flags: ImportFlags,
): Promise<string | null> {
  const form = formOf(flags)
  if (flags.dir !== undefined && form === 'name') return '--dir and --output name exclude each other'
  const read = await readText(io, path, MAX_BYTES)
  if (!read.ok) return read.message
  const reporters = flags.reporters === undefined ? undefined : await reportersOf(io, tool, flags.reporters)
  if (typeof reporters === 'string') return reporters
  const imported = readImport(tool, read.text, { intervalSeconds: flags.interval, reporters })
  if (typeof imported === 'string') return `${path} ${imported}`
  const report = [...imported.report]
  const alike = Map.groupBy(imported.monitors, (monitor) => namesOf(monitor).plain)
  const taken = new Set(
    [...alike.values()]
      .filter(({ length }) => length > 1)
      .flatMap((several) => several.map((one) => namesOf(one).unique)),
  )
  const leftOut: string[] = []
  const written = imported.monitors.flatMap((monitor) => {
    const { plain, unique } = namesOf(monitor)
    const isFree = alike.get(plain)?.length === 1 && !taken.has(plain)
    const made = manifestOf(monitor, isFree ? plain : unique)
    if (typeof made !== 'string') return [{ ...made, settings: takenOver(monitor) }]
    leftOut.push(monitor.body.name)
    report.push(`${monitor.body.name}: is left out, because it would not be valid: ${made}`)
    return []
  })
  const fault = await write(io, written, flags.dir, form)
  if (fault !== null) return fault
  for (const line of report) tell(io, `${printable(line)}\n`)
  const settings = written.reduce((sum, one) => sum + one.settings, 0)
  tell(io, `${settings} settings taken over, ${lostIn(report, leftOut)} without an equivalent.\n`)
  const many = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
  const others = imported.found - written.length
  tell(
    io,
    `${many(written.length, 'monitor')} of ${imported.found} imported, ${many(report.length, 'remark')}` +
      `${others === 0 ? '' : `, ${others} left out`}.\n`,
  )
  return null
}

/** Returns what is in the file with reporters, or what is wrong with it. */
async function reportersOf(io: ProcessIo, tool: ImportedTool, path: string): Promise<Reporters | string> {
  const read = await readText(io, path, MAX_BYTES)
  if (!read.ok) return read.message
  const reporters = readReporters(tool, read.text)
  return typeof reporters === 'string' ? `${path} ${reporters}` : reporters
}

interface Written {
  readonly name: string
  /** The manifest, and the Secret with its values where it has some. */
  readonly documents: readonly MonitorManifest['manifest'][]
}

/** Returns the name of a manifest, without and with what makes it unique. */
function namesOf({ id, body }: ImportedMonitor): { readonly plain: string; readonly unique: string } {
  const own = { id: id.replaceAll(/[^a-z0-9]/gi, '').toLowerCase() || 'a', name: body.name }
  const unique = resourceName(own, false)
  return { plain: unique.replace(new RegExp(`-${own.id.slice(0, 8)}$`), ''), unique }
}

/** Returns the manifest of a monitor with its Secret, or why it cannot be one. */
function manifestOf({ id, body, isPaused }: ImportedMonitor, name: string): Written | string {
  const checked = checkPage(body, { egress: ANY_ADDRESS, isNew: true })
  if (checked.kind === 'invalid') return checked.issues.map(({ path, message }) => `${path} ${message}`).join('; ')
  const declared = { id, resource: MONITOR_RESOURCE, definition: MonitorSpec, spec: checked.spec, isPaused }
  const { manifest, secrets } = monitorManifest({ ...declared, name, adopts: false })
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels: { [READ_BY_MONITORS]: 'true' } },
    stringData: Object.fromEntries(secrets.map(({ key, value }) => [key, value])),
  }
  return { name, documents: [manifest, ...(secrets.length > 0 ? [secret] : [])] }
}

/**
 * Writes the manifests, to a file each where a folder is named. An existing file is never replaced. Returns why nothing
 * was written, or null.
 */
async function write(
  io: ProcessIo,
  written: readonly Written[],
  folder: string | undefined,
  form: OutputForm,
): Promise<string | null> {
  const names = written.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) return `two monitors would have the name ${twice}: give one of them another name`
  if (folder === undefined) {
    const references = written.map(({ name }) => `${MONITOR_RESOURCE.singular}/${keyOfIdentity({ name })}\n`)
    print(io, form === 'name' ? references.join('') : await textOf(written, form))
    return null
  }
  const files = await Promise.all(
    written.map(async (one) => ({
      path: join(folder, `${one.name}.${form === 'json' ? 'json' : 'yaml'}`),
      text: await textOf([one], form),
    })),
  )
  const there = files.find(({ path }) => existsSync(pathIn(io, path)))
  if (there) return `${there.path} is there already: move it away, or name another folder`
  let count = 0
  try {
    await mkdir(pathIn(io, folder), { recursive: true })
    // They may have the values of Secrets.
    for (const { path, text } of files) {
      await writeFile(pathIn(io, path), text, { flag: 'wx', mode: 0o600 })
      count += 1
    }
    return null
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return `${folder} cannot be written: ${reason}; ${count} of ${files.length} files were written`
  }
}

/** Returns manifests as YAML for people, or as one JSON document. */
async function textOf(written: readonly Written[], form: OutputForm): Promise<string> {
  if (form === 'json') {
    const items = written.flatMap(({ documents }) => documents)
    return dataText('json', { apiVersion: 'v1', kind: 'List', items })
  }
  const texts = written.flatMap(({ name, documents }) =>
    documents.map((manifest) => manifestYaml({ manifest, secrets: [] }, name)),
  )
  return texts.join('---\n')
}
