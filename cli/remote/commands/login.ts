import { printable } from '../../../core/printable.ts'
import { print, tell } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import type { Usage } from '../../../schema/account/usage.ts'
import { formOf, isForPrograms, type OutputOptions, printData, printItems, printResult } from '../../output.ts'
import { askHidden } from '../ask-hidden.ts'
import type { CommonOptions } from '../connect.ts'
import { apiUrl, connectionOf, type Profile, profilesPath, readKey, readProfiles, writeProfiles } from '../profiles.ts'
import { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

const LOCAL = 'http://127.0.0.1:8080'

interface LoginOptions {
  readonly profile: string
  readonly email?: string
}

/** Signs in, or checks a key by a request, and stores the session or the key with the address of its server. */
export const login: Handler<LoginOptions> = async ({ io, words: [address], options }) => {
  const name = nameOfProfile(options.profile)
  const { TIDEMARK_URL: fromEnvironment } = io.env
  const url = apiUrl(address ?? (fromEnvironment || LOCAL), address === undefined ? 'TIDEMARK_URL' : 'the address')
  // Before the question for a secret: a file that cannot be read would make the answer useless.
  const { profiles: known } = readProfiles(io.env)
  const profile = options.email === undefined ? await withKey(io, url) : await signedIn(io, url, options.email)
  const { email } = profile
  const { tier } = await new RemoteClient({ ...profile, from: 'this login' }).json<Usage>({
    method: 'GET',
    path: '/v1/usage',
  })
  const path = writeProfiles(io.env, { current: name, profiles: { ...known, [name]: profile } })
  const [who, what] = email === undefined ? ['', 'key'] : [` as ${printable(email)}`, 'session']
  const text = `Logged in to ${url}${who}, to a team on the plan ${printable(tier)}. The ${what} is in ${path}.\n`
  await printDone(io, options, { name, url, ...(email !== undefined && { email }), plan: tier, file: path }, text)
  if (isReadable(url)) tell(io, `The ${what} travels to ${url} unencrypted: others on the way can read it.\n`)
}

async function withKey(io: ProcessIo, url: string): Promise<Profile> {
  const given = io.env['TIDEMARK_API_KEY'] || (await askHidden(io, `API key for ${url}`))
  if (given.trim() === '')
    throw new RemoteError('there is no key: set TIDEMARK_API_KEY, or write it to standard input', 'usage')
  return { url, key: readKey(given, 'what was given') }
}

async function signedIn(io: ProcessIo, url: string, email: string): Promise<Profile> {
  const password = await askHidden(io, `Password of ${printable(email)} for ${url}`)
  if (password === '') throw new RemoteError('there is no password: write it to standard input', 'usage')
  const { token } = await new RemoteClient({ url, key: '', from: 'this login', email }).json<{
    readonly token: string | null
  }>(
    { method: 'POST', path: '/auth/sign-in/email', body: { email, password }, isOnce: true },
    (body) => typeof (body as { readonly token?: unknown } | null)?.token === 'string',
  )
  return { url, key: token ?? '', email, isNew: true }
}

async function printDone<T extends { readonly name: string }>(
  io: ProcessIo,
  options: OutputOptions,
  data: T,
  text: string,
): Promise<void> {
  const form = formOf(options)
  if (isForPrograms(form)) return printData(io, form, data)
  print(io, form === 'name' ? `${data.name}\n` : text)
}

/** Whether others can read what is sent: the address is not https, and not of this machine. */
const isReadable = (url: string) => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !/^(127\.|localhost$|\[::1\]$)/.test(hostname)
}

function nameOfProfile(text: string): string {
  if (!/^[a-z0-9][-\w.]{0,62}$/i.test(text) || text === '__proto__')
    throw new RemoteError('the name of a profile has letters, digits, dots and dashes, at most 63', 'usage')
  return text
}

/** Forgets a login. A session is ended at its server; an API key stays valid, because others may use it. */
export const logout: Handler<object> = async ({ io, options }) => {
  const { profile } = options
  const { current, profiles: known } = readProfiles(io.env)
  const name = profile ?? current
  if (name === null) throw new RemoteError(`there is no login in ${profilesPath(io.env)}`)
  const forgotten = Object.hasOwn(known, name) ? known[name] : undefined
  if (!forgotten) throw new RemoteError(`there is no profile ${name}`)
  const rest = Object.entries(known).filter(([other]) => other !== name)
  const next = name === current ? null : current
  writeProfiles(io.env, { current: next, profiles: Object.fromEntries(rest) })
  const what = forgotten.email === undefined ? 'Its key is still valid.' : await ended(io, forgotten)
  await printDone(io, options, { name }, `Forgot the profile ${name}. ${what}\n`)
}

/** Ends a session. Returns what became of it. */
async function ended(io: ProcessIo, profile: Profile): Promise<string> {
  try {
    await new RemoteClient({ ...profile, from: 'this login' }).json({ method: 'POST', path: '/auth/sign-out' })
    return 'Its session has ended.'
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    tell(io, `tidemark: the session could not be ended, and is valid until it ends by itself: ${error.message}\n`)
    return 'Its session is still valid.'
  }
}

/** Prints what requests carry, for other programs. */
export const token: Handler = async ({ io, options }) => {
  const { url, key, from } = connectionOf(io, (options as CommonOptions).profile)
  await printResult(io, options, { data: { url, from, token: key }, names: [key], text: `${key}\n` })
}

export const profiles: Handler<object> = async ({ io, options }) => {
  const { current, profiles: known } = readProfiles(io.env)
  const items = Object.entries(known).map(([name, { url, email = null }]) => {
    return { name, url, email, isCurrent: name === current }
  })
  await printItems(io, formOf(options), {
    items,
    columns: [
      { head: 'NAME', cell: ({ name }) => name },
      { head: 'CURRENT', cell: ({ isCurrent }) => (isCurrent ? 'yes' : '') },
      { head: 'URL', cell: ({ url }) => url },
      { head: 'SIGNED IN', cell: ({ email }) => email ?? 'with a key' },
    ],
    name: ({ name }) => name,
    data: ({ name, url, email, isCurrent }) => ({ name, url, email, current: isCurrent }),
    none: 'There is no login. Call ./tidemark login.',
  })
}
