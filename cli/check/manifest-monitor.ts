import { stat } from 'node:fs/promises'
import type { EgressPolicy } from '../../egress/policy.ts'
import { inOrder } from '../../manifests/in-order.ts'
import type { Manifest, ManifestText } from '../../manifests/manifest.ts'
import { readFolder } from '../../manifests/read-folder.ts'
import { readManifests } from '../../manifests/read-manifests.ts'
import { secretSource } from '../../manifests/secret-values.ts'
import { judgeManifests } from '../../monitors/declared/judge-manifests.ts'
import { pathIn, type ProcessIo } from '../../platform/process-io.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { MONITOR_RESOURCE, type MonitorKind } from '../../schema/resource-kind.ts'
import { readText } from './source.ts'
import { UsageError } from './usage-error.ts'

/** What the option --monitor names, and which of several manifests it means. */
interface MonitorFile {
  readonly path: string
  /** Its name, or namespace/name. */
  readonly name: string | undefined
}

/** How a resource is tried that no configuration of a page is in, by the kind of monitor that it declares. */
const TRIED_BY: Readonly<Record<MonitorKind, string>> = { serp: 'give its keyword to tidemark check serp' }

/** Reads the file or the folder of `--monitor`. Throws UsageError where it cannot be read. */
export async function monitorTexts(io: ProcessIo, path: string): Promise<readonly ManifestText[]> {
  const found = path === '-' ? null : await stat(pathIn(io, path)).catch(() => null)
  if (found?.isDirectory()) {
    const { texts } = await readFolder(pathIn(io, path))
    return texts.map(({ file, text }) => ({ file: `${path.replace(/\/+$/, '')}/${file}`, text }))
  }
  const read = await readText(io, path)
  if (!read.ok) throw new UsageError(`--monitor: ${read.message}`)
  return [{ file: path, text: read.text }]
}

/** Returns the files that a change of the monitor is written to. */
export const monitorFiles = async (io: ProcessIo, path: string): Promise<readonly string[]> =>
  (await stat(pathIn(io, path)).catch(() => null))?.isDirectory()
    ? (await monitorTexts(io, path)).map(({ file }) => file)
    : [path]

/** Returns the configuration that a manifest declares. Throws UsageError with every fault of it. */
export function manifestSpec(
  io: ProcessIo,
  texts: readonly ManifestText[],
  { path, name }: MonitorFile,
  egress: EgressPolicy,
): MonitorSpec {
  const read = readManifests(texts)
  const all = [...read.manifests, ...read.flawed]
  const chosen = all.filter((manifest) => name === undefined || isNamed(manifest, name))
  const [manifest, ...others] = chosen
  // A file that cannot be read may be the one that has it.
  if (!manifest) throw new UsageError(notThere({ path, name }, all, read.faults.map(lineOf)))
  if (others.length > 0)
    throw new UsageError(`${path} has several manifests: choose one by --name\n${chosen.map(referenceOf).join('\n')}`)
  const { declares, kind } = manifest.resource
  if (declares !== MONITOR_RESOURCE.declares)
    throw new UsageError(`${manifest.reference} is a ${kind}: ${TRIED_BY[declares] ?? 'name a Monitor'}`)
  const known = secretSource(read.secrets, io.env)
  // A check sends no message, so it needs the Secrets of the request alone.
  const isSigned = manifest.spec['requestHeadersFrom'] !== undefined
  const secrets = isSigned ? known : { ...known, waysToGive: () => null }
  const judged = judgeManifests([manifest], { secrets, egress, isNew: true })
  const faults = inOrder([...manifest.faults, ...judged.faults], texts)
  const [valid] = judged.valid
  if (faults.length > 0 || !valid)
    throw new UsageError(`${path} has a monitor that could not be created:\n${faults.map(lineOf).join('\n')}`)
  return valid.spec as MonitorSpec
}

const isNamed = ({ reference }: Manifest, asked: string) =>
  asked === reference || asked === reference.slice(reference.indexOf('/') + 1)

const referenceOf = ({ reference }: Manifest) => `  ${reference}`

const lineOf = ({ file, line, column, message }: { file: string; line: number; column: number; message: string }) =>
  `  ${file}:${line}:${column}: ${message}`

function notThere({ path, name }: MonitorFile, all: readonly Manifest[], faults: readonly string[]): string {
  const what = name === undefined ? 'no Monitor' : `no Monitor ${name}`
  const there = all.length === 0 ? [] : ['it has:', ...all.map(referenceOf)]
  return [`${path} has ${what}${all.length === 0 ? '' : ';'} ${there.join('\n')}`.trimEnd(), ...faults].join('\n')
}
