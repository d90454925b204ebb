import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorManifest } from '../../core/custom-resource/monitor-manifest.ts'
import { resourceName } from '../../core/custom-resource/resource-name.ts'
import { createPolicy } from '../../egress/policy.ts'
import type { ImportedMonitor } from '../../manifests/import/imported.ts'
import { type ImportedTool, readImport } from '../../manifests/import/read-import.ts'
import { manifestYaml } from '../../manifests/manifest-yaml.ts'
import { checkConfiguration } from '../../monitors/check/check-configuration.ts'
import { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { MONITOR_RESOURCE } from '../../schema/resource-kind.ts'
import { readText } from '../check/source.ts'

/** The options of `tidemark import`. */
export interface ImportFlags {
  /** The folder to write to. Default: standard output. */
  readonly output?: string
  /** Seconds between two checks, for tools whose jobs have no interval. */
  readonly interval: number
}

/** Addresses of one's own network are allowed where the manifests are applied, or not. */
const ANY_ADDRESS = createPolicy({ allowPrivateCidrs: ['0.0.0.0/0', '::/0'], neverAllow: [] })

/**
 * Writes the configuration of another tool as manifests, and a line for everything that has no equivalent to standard
 * error. Returns what is wrong with the command line or the file; null when it was read.
 */
export async function importFile(tool: ImportedTool, path: string, flags: ImportFlags): Promise<string | null> {
  const read = await readText(path)
  if (!read.ok) return read.message
  const imported = readImport(tool, read.text, flags.interval)
  if (typeof imported === 'string') return `${path} ${imported}`
  const report = [...imported.report]
  const names = Map.groupBy(imported.monitors, ({ body }) => resourceName({ id: '', name: body.name }, true))
  const written = imported.monitors.flatMap((monitor) => {
    const isAlone = names.get(resourceName({ id: '', name: monitor.body.name }, true))?.length === 1
    const made = manifestOf(monitor, isAlone)
    if (typeof made !== 'string') return [made]
    report.push(`${monitor.body.name}: is left out, because it would not be valid: ${made}`)
    return []
  })
  const fault = await write(written, flags.output)
  if (fault !== null) return fault
  for (const line of report) process.stderr.write(`${line}\n`)
  const many = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
  process.stderr.write(
    `${many(written.length, 'monitor')} of ${imported.monitors.length} imported, ${many(report.length, 'remark')}.\n`,
  )
  return null
}

interface Written {
  readonly name: string
  readonly yaml: string
}

/** Returns the manifest of a monitor with its Secret, or why it cannot be one. */
function manifestOf({ id, body, isPaused }: ImportedMonitor, isAlone: boolean): Written | string {
  const checked = checkConfiguration(body, ANY_ADDRESS)
  if (checked.kind === 'invalid') return checked.issues.map(({ path, message }) => `${path} ${message}`).join('; ')
  const own = { id: id.replaceAll(/[^a-z0-9]/gi, '').toLowerCase() || 'a', name: body.name }
  const suffixed = resourceName(own, false)
  const name = isAlone ? suffixed.replace(new RegExp(`-${own.id.slice(0, 8)}$`), '') : suffixed
  const declared = { id, resource: MONITOR_RESOURCE, definition: MonitorSpec, spec: checked.spec, isPaused }
  const { manifest, secrets } = monitorManifest({ ...declared, name, adopts: false })
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: Object.fromEntries(secrets.map(({ key, value }) => [key, value])),
  }
  const documents = [manifest, ...(secrets.length > 0 ? [secret] : [])]
  return { name, yaml: documents.map((one) => manifestYaml({ manifest: one, secrets: [] }, name)).join('---\n') }
}

/** Writes the manifests, to a file each where a folder is named. A file that is there is never replaced. */
async function write(written: readonly Written[], folder: string | undefined): Promise<string | null> {
  if (folder === undefined) {
    process.stdout.write(written.map(({ yaml }) => yaml).join('---\n'))
    return null
  }
  await mkdir(folder, { recursive: true })
  for (const { name, yaml } of written)
    try {
      // It may have the values of Secrets.
      await writeFile(join(folder, `${name}.yaml`), yaml, { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      return `${join(folder, `${name}.yaml`)} is there already: move it away, or name another folder`
    }
  return null
}
