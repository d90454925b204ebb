import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { createPolicy } from '../../../egress/policy.ts'
import { keyOfIdentity } from '../../../core/custom-resource/resource-name.ts'
import { readFolder, textOfBytes } from '../../../manifests/read-folder.ts'
import {
  type Manifest,
  type ManifestFault,
  type ManifestText,
  MOST_BYTES,
  readManifests,
  TOO_LARGE,
} from '../../../manifests/read-manifests.ts'
import { faultsOf, resolveManifest } from '../../../manifests/resolve-manifest.ts'
import { environmentName, secretValues } from '../../../manifests/secret-values.ts'
import { checkDeclaration, checkSerpDeclaration } from '../../../monitors/check/check-configuration.ts'
import { printable } from '../../printable.ts'
import { SUSPENDED_LABEL } from '../records.ts'
import { RemoteError } from '../remote-error.ts'
import { tell } from '../../print.ts'

/** A manifest with the whole configuration that it declares. */
export interface Wanted {
  readonly manifest: Manifest
  /** The `external_key` of its record. */
  readonly key: string
  /** All keys of a record that a manifest says, with their defaults. */
  readonly spec: Readonly<Record<string, unknown>>
}

interface InputOptions {
  /** Files, folders, or `-`. */
  readonly files: readonly string[]
  /** A file with Secrets. */
  readonly secrets: string | undefined
  /** The label of every monitor that this input declares. */
  readonly set: Readonly<Record<string, string>>
  /** Whether records without a manifest are deleted: an empty file is a fault then. */
  readonly prunes: boolean
}

/**
 * Only the server knows which addresses it refuses. A fault that only it can find is reported when the manifest is
 * applied.
 */
const ANY_ADDRESS = createPolicy({ allowPrivateCidrs: ['0.0.0.0/0', '::/0'], neverAllow: [] })

/** Reads and checks all manifests. Throws with every fault, its file and its line; nothing has been asked by then. */
export async function readInput({ files, secrets, set, prunes }: InputOptions): Promise<readonly Wanted[]> {
  const texts = (await Promise.all(files.map(textsOf))).flat()
  const read = readManifests(texts)
  const beside = await readSecrets(secrets)
  const valueOf = secretValues([...read.secrets, ...beside.secrets], process.env)
  const faults: ManifestFault[] = [...read.faults, ...beside.faults, ...(prunes ? read.empty : [])]
  const wanted: Wanted[] = []
  for (const manifest of read.manifests) {
    const resolved = resolveManifest(manifest, valueOf)
    if (!resolved.ok) {
      faults.push(...resolved.faults.map(withWaysToGiveIt))
      continue
    }
    const { resource, suspend } = manifest
    const key = keyOfIdentity(manifest)
    const labels = { ...(resolved.body['labels'] as object), ...set, ...(suspend && { [SUSPENDED_LABEL]: 'true' }) }
    const body = { ...resolved.body, labels, external_key: key }
    const check = resource.declares === 'serp' ? checkSerpDeclaration : checkDeclaration
    const checked = check(body, ANY_ADDRESS)
    if (checked.kind === 'invalid') faults.push(...faultsOf(manifest, checked.issues))
    else wanted.push({ manifest, key, spec: declaredKeys(checked.spec) })
  }
  if (faults.length > 0)
    throw new RemoteError(inLines('the manifests are not valid, and nothing was sent:', faults), 'usage')
  if (read.skipped.length > 0) {
    const names = read.skipped.map(({ kind, name }) => `${kind}${name === null ? '' : ` ${name}`}`)
    tell(`tidemark: left out, being no monitors: ${printable(names.join(', '))}\n`)
  }
  return wanted
}

/** Reads the file of `--secrets`. A monitor in it is a fault: nothing would come of it. */
async function readSecrets(file: string | undefined) {
  if (file === undefined) return { secrets: [], faults: [] }
  const { secrets, manifests, faults } = readManifests([await textOf(file)])
  const misplaced = manifests.map(({ resource, place }) => ({
    ...place,
    message: `is a ${resource.kind}, and --secrets takes only Secrets: name this file with -f too`,
  }))
  return { secrets, faults: [...faults, ...misplaced] }
}

/** A manifest names no template. */
const declaredKeys = (spec: object): Wanted['spec'] =>
  Object.fromEntries(Object.entries(spec).filter(([key]) => key !== 'template_slug'))

/** Returns a sentence and a line for each fault. */
export const inLines = (head: string, faults: readonly ManifestFault[]): string =>
  [head, ...faults.map(({ file, line, message }) => `  ${printable(`${file}:${line} ${message}`)}`)].join('\n')

function withWaysToGiveIt(fault: ManifestFault): ManifestFault {
  const [, name, key] = /^the Secret \S+\/(\S+) has no value for the key (\S+)$/.exec(fault.message) ?? []
  if (name === undefined || key === undefined) return fault
  const variable = environmentName({ name, key })
  const empty = process.env[variable] === '' ? ', which is empty' : ''
  const ways = `add a Secret document, --secrets FILE, or the variable ${variable}${empty}`
  return { ...fault, message: `${fault.message}: ${ways}` }
}

async function textsOf(path: string): Promise<readonly ManifestText[]> {
  if (path === '-') return [await textOf('standard input', process.stdin)]
  const found = await stat(path).catch((error: unknown) => unreadable(path, error))
  if (!found.isDirectory()) return [await textOf(path)]
  const { texts, faults } = await readFolder(path)
  if (faults.length > 0) throw new RemoteError(inLines(`${path} cannot be read:`, faults), 'usage')
  if (texts.length === 0)
    throw new RemoteError(`${path} has no files *.yaml, *.yml or *.json: name another folder, or a file`, 'usage')
  return texts.map(({ file, text }) => ({ file: `${path.replace(/\/+$/, '')}/${file}`, text }))
}

/** Reads a file, which may be a pipe. A device may have no end. */
async function textOf(path: string, source: Readable = createReadStream(path)): Promise<ManifestText> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of source as AsyncIterable<Buffer>) {
      parts.push(part)
      size += part.length
      if (size > MOST_BYTES) throw new RemoteError(`${path} ${TOO_LARGE}: divide it`, 'usage')
    }
  } catch (error) {
    if (error instanceof RemoteError) throw error
    unreadable(path, error)
  }
  const text = textOfBytes(Buffer.concat(parts))
  if (text === null) throw new RemoteError(`${path} is not UTF-8: save it in this encoding`, 'usage')
  return { file: path, text }
}

function unreadable(path: string, error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  const advice = /^https?:/i.test(path) ? `: get it first, as in curl -fsS ${path} | ./tidemark … -f -` : ''
  throw new RemoteError(
    `${path} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}${advice}`,
    'usage',
  )
}
