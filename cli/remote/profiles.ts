import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { pid, platform } from 'node:process'
import { tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { RemoteError } from './remote-error.ts'

/** A server, and a key or a session for it. */
export interface Profile {
  readonly url: string
  /** What requests carry: an API key, or the token of a session. */
  readonly key: string
  /** Who signed in. Without it, the key is an API key. */
  readonly email?: string
  /** Nobody was told yet for which team the session acts. */
  readonly isNew?: true
}

/** The file of profiles. */
interface ProfileFile {
  /** The profile that is used where none is named. */
  readonly current: string | null
  readonly profiles: Readonly<Record<string, Profile>>
}

/** A profile, and where it comes from, for messages. */
export interface Connection extends Profile {
  readonly from: string
}

type Environment = Readonly<Record<string, string | undefined>>

export const DEFAULT_PROFILE = 'default'

/** Returns the path of the file of profiles. */
export function profilesPath({ XDG_CONFIG_HOME: folder, HOME: home }: Environment): string {
  const isAbsolute = folder?.startsWith('/') ?? false
  return join(isAbsolute && folder ? folder : join(home || homedir(), '.config'), 'tidemark', 'profiles.json')
}

/** Returns the profiles. Without a file there are none. */
export function readProfiles(env: Environment): ProfileFile {
  const path = profilesPath(env)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return { current: null, profiles: {} }
    throw new RemoteError(`the profiles in ${path} cannot be read (${codeOf(error)}): correct its permissions`)
  }
  const file = parsed(text)
  if (file === null)
    throw new RemoteError(`${path} is not a file of profiles any more: remove it, and call ./tidemark login again`)
  return file
}

function parsed(text: string): ProfileFile | null {
  try {
    const { current, profiles } = JSON.parse(text) as Partial<ProfileFile>
    if (typeof profiles !== 'object' || profiles === null) return null
    const isComplete = Object.values(profiles).every(
      (profile: Partial<Profile> | null) => typeof profile?.url === 'string' && typeof profile.key === 'string',
    )
    return isComplete ? { current: typeof current === 'string' ? current : null, profiles } : null
  } catch {
    return null
  }
}

/**
 * Writes the profiles, for this account alone. A reader sees the old file or the new one, and never a part.
 *
 * @returns the path of the file
 */
export function writeProfiles(env: Environment, file: ProfileFile): string {
  const path = profilesPath(env)
  const written = `${path}.${pid}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(written, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
    // The mode above is for a new file only.
    chmodSync(written, 0o600)
    renameSync(written, path)
  } catch (error) {
    rmSync(written, { force: true })
    throw new RemoteError(`the profiles cannot be written to ${path} (${codeOf(error)}): set XDG_CONFIG_HOME, or HOME`)
  }
  return path
}

const HOW =
  'call ./tidemark login, or set TIDEMARK_URL to the address of the API and TIDEMARK_API_KEY to a key ' +
  '("./tidemark admin create-key" makes one on the server)'

/**
 * Returns the server and the key that a command uses: those of `--profile`, of TIDEMARK_URL and TIDEMARK_API_KEY, of
 * TIDEMARK_PROFILE, or of the profile that the last login made. A key is only ever sent to the server that it was given
 * for.
 */
export function connectionOf(io: ProcessIo, named: string | undefined): Connection {
  const { env } = io
  const { TIDEMARK_URL: url = '', TIDEMARK_API_KEY: key = '' } = env
  if (isGiven(env, named)) {
    if (url === '') throw new RemoteError('TIDEMARK_API_KEY is set without TIDEMARK_URL: set both, or none', 'usage')
    if (key === '') throw new RemoteError('TIDEMARK_URL is set without TIDEMARK_API_KEY: set both, or none', 'usage')
    return { url: apiUrl(url, 'TIDEMARK_URL'), key: readKey(key, 'TIDEMARK_API_KEY'), from: 'the environment' }
  }
  const { current, profiles } = readProfiles(env)
  warnOfReaders(io, profilesPath(env))
  const name = nameInUse(env, named, current)
  const names = Object.keys(profiles)
  if (name === null) throw new RemoteError(`no server is known: ${HOW}`, 'usage')
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (!profile) {
    const known = names.length === 0 ? '' : `; there are ${names.join(', ')}`
    throw new RemoteError(`there is no profile ${name}${known}: call ./tidemark login --profile ${name}`, 'usage')
  }
  return { ...profile, url: apiUrl(profile.url, `the profile ${name}`), from: `the profile ${name}` }
}

/** Returns whether the environment has the server and the key, and no profile is named. */
const isGiven = ({ TIDEMARK_URL: url = '', TIDEMARK_API_KEY: key = '' }: Environment, named: string | undefined) =>
  named === undefined && (url !== '' || key !== '')

const nameInUse = ({ TIDEMARK_PROFILE: other = '' }: Environment, named: string | undefined, current: string | null) =>
  named ?? (other === '' ? current : other)

/** Returns the name of the profile that a command uses, as above; null where it uses none, or there is none. */
export function profileInUse(env: Environment, named: string | undefined): string | null {
  if (isGiven(env, named)) return null
  const { current, profiles } = readProfiles(env)
  const name = nameInUse(env, named, current)
  return name !== null && Object.hasOwn(profiles, name) ? name : null
}

/** Says where other accounts of this machine can read the keys: a copy from elsewhere may have lost its mode. */
function warnOfReaders(io: ProcessIo, path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if (platform !== 'win32' && (mode & 0o077) !== 0)
    tell(io, `tidemark: other accounts can open ${path}, which has your keys: chmod 600 ${path}\n`)
}

/** Returns a key without the white space around it. Throws where a request could not carry it. */
export function readKey(text: string, what: string): string {
  const key = text.trim()
  if (!/^[\x21-\x7e]{1,500}$/.test(key))
    throw new RemoteError(`${what} is no API key, which is one word: svc_ and letters and digits`, 'usage')
  return key
}

/** Returns the address of the API without what follows it: `https://example.com/v1/` becomes `https://example.com`. */
export function apiUrl(text: string, what: string): string {
  const url = URL.parse(text.trim())
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new RemoteError(`${what} must be an address such as http://127.0.0.1:8080, and is ${text}`, 'usage')
  if (url.username !== '' || url.password !== '')
    throw new RemoteError(`${what} must not contain a user name or a password`, 'usage')
  return `${url.origin}${url.pathname.replace(/\/(?:v1\/?)?$/, '')}`
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
