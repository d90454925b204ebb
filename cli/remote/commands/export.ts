import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { resourceLabels } from '../../../core/custom-resource/annotations.ts'
import { isManifestName, isResourceName } from '../../../core/custom-resource/resource-name.ts'
import { print } from '../../../platform/print.ts'
import { pathIn, type ProcessIo } from '../../../platform/process-io.ts'
import type { MonitorManifest } from '../../../schema/monitor/manifest.ts'
import { formOf, printData } from '../../output.ts'
import { connect } from '../connect.ts'
import { forEachRecord, listRecords, nameOf, pathOf, referencesOf, SET_LABEL, SUSPENDED_LABEL } from '../records.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import type { RemoteRecord } from '../remote-kinds.ts'

interface ExportOptions {
  readonly dir?: string
}

/** Prints monitors as manifests, or writes a file for each. */
export const exportManifests: Handler<ExportOptions> = async ({ io, words, options }) => {
  const { dir } = options
  const form = formOf(options)
  if (dir !== undefined && form === 'name') throw new RemoteError('--dir and --output name exclude each other', 'usage')
  const client = connect(io, options)
  const { kind, references } = referencesOf(words)
  const found: RemoteRecord[] = references.length === 0 ? await listRecords(client, kind) : []
  const ending = await forEachRecord(io, { client, references }, async (one) => void found.push(one))
  if (found.length === 0 && references.length > 0) return ending
  if (form === 'name') {
    print(io, found.map((one) => `${nameOf(one)}\n`).join(''))
    return ending
  }
  const isJson = form === 'json'
  const texts: string[] = []
  const written = new Set<string>()
  for (const one of found) {
    const path = `${pathOf(one)}/manifest`
    const accept = isJson ? 'application/json' : 'application/yaml'
    const text = withoutOwnLabels(await client.text({ method: 'GET', path, headers: { accept } }), isJson)
    if (dir === undefined) texts.push(text)
    else writeManifest(io, dir, text, { isJson, written })
  }
  const items = () => texts.map((text) => JSON.parse(text) as unknown)
  if (dir === undefined && isJson) await printData(io, 'json', { apiVersion: 'v1', kind: 'List', items: items() })
  else if (dir === undefined) print(io, texts.join('---\n'))
  return ending
}

/** An apply of the manifest writes these itself. Written into it, they would make it part of a set everywhere. */
const OWN_LABELS = Object.keys(resourceLabels({ [SET_LABEL]: '', [SUSPENDED_LABEL]: '' }))

/** Returns a manifest without the labels of `apply`. */
function withoutOwnLabels(text: string, isJson: boolean): string {
  if (!OWN_LABELS.some((label) => text.includes(label))) return text
  if (isJson)
    return JSON.stringify(JSON.parse(text, (key, value: unknown) => (OWN_LABELS.includes(key) ? undefined : value)))
  // The YAML of the server is for people, and quoted for all readers: its lines stay as they are.
  const [head = '', ...rest] = text.split(/^(?=spec:)/m)
  const lines = head.split('\n').filter((line) => !OWN_LABELS.some((label) => line.startsWith(`    ${label}: `)))
  return [lines.join('\n').replace(/^ {2}labels:\n(?! {4})/m, ''), ...rest].join('')
}

interface Writing {
  readonly isJson: boolean
  /** The files that have a manifest by now. */
  readonly written: Set<string>
}

/** Writes a manifest below the name that it gives itself. Names of resources have no slash, so none leads elsewhere. */
function writeManifest(io: ProcessIo, dir: string, text: string, { isJson, written }: Writing): void {
  // JSON is YAML.
  const { kind = '', metadata = {} } = (parse(text) ?? {}) as Partial<MonitorManifest>
  const { name = '', namespace }: Partial<MonitorManifest['metadata']> = metadata
  if (!isManifestName(name) || !isResourceName(namespace ?? 'none') || !/^[a-z]+$/i.test(kind))
    throw new RemoteError('the server sent a manifest without a name: is it a Tidemark API?')
  const parts = [...(namespace === undefined ? [] : [namespace]), name, kind.toLowerCase()]
  const file = join(dir, `${parts.join('.')}.${isJson ? 'json' : 'yaml'}`)
  // Such as shop/kettle and default/shop.kettle.
  if (written.has(file)) throw new RemoteError(`${file} would be the file of two monitors: export one of them alone`)
  written.add(file)
  try {
    mkdirSync(pathIn(io, dir), { recursive: true })
    writeFileSync(pathIn(io, file), text)
  } catch (error) {
    throw new RemoteError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
  print(io, `${file}\n`)
}
