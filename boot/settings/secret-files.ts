import { type Stats, readFileSync, statSync } from 'node:fs'
import { SECRET_SETTINGS, secretFileOf } from '../../schema/config/secret-settings.ts'
import type { Issue } from '../../schema/validation/issue.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The environment with the secrets that it names files for, the files, and what is wrong with them. */
interface SecretFiles {
  readonly environment: Environment
  /** The file of each setting that was read from one. */
  readonly files: ReadonlyMap<string, string>
  readonly issues: readonly Issue[]
}

const MAX_BYTES = 65_536

/** Reads the files of secret settings. A fault has the setting and the path, and nothing of the content. */
export function readSecretFiles(environment: Environment): SecretFiles {
  const merged: Record<string, string | undefined> = { ...environment }
  const files = new Map<string, string>()
  const issues: Issue[] = []
  for (const name of SECRET_SETTINGS) {
    const path = secretFileOf(name)
    const file = environment[path]
    if (file === undefined || file === '') continue
    if (environment[name] !== undefined && environment[name] !== '') {
      issues.push({ path, message: `must not be set together with ${name}` })
      continue
    }
    const read = secretIn(file)
    if (read.ok) {
      merged[name] = read.text
      files.set(name, file)
    } else issues.push({ path, message: `names ${file}, which ${read.why}` })
  }
  return { environment: merged, files, issues }
}

type Read = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }

function secretIn(file: string): Read {
  try {
    const why = notReadable(statSync(file))
    if (why !== null) return { ok: false, why }
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)).replace(/\r?\n$/, '')
    if (text === '') return { ok: false, why: 'is empty' }
    return text.includes('\0') ? { ok: false, why: 'is not text' } : { ok: true, text }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return { ok: false, why: REASONS[code] ?? `cannot be read (${code})` }
  }
}

function notReadable(stats: Stats): string | null {
  if (stats.isDirectory()) return 'is a folder'
  // A pipe would be waited for.
  if (!stats.isFile()) return 'is not a file'
  return stats.size > MAX_BYTES ? 'is larger than 64 KiB' : null
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'this user may not read',
  EPERM: 'this user may not read',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not text',
}
