import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Usage } from '../../../schema/account/usage.ts'
import { exitCode } from '../../exit-codes.ts'
import { formOf, isForPrograms, type OutputOptions, printData, printItems } from '../../output.ts'
import { print, tell } from '../../print.ts'
import { apiUrl, profilesPath, readKey, readProfiles, writeProfiles } from '../profiles.ts'
import { printable } from '../../printable.ts'
import { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

const LOCAL = 'http://127.0.0.1:8080'
const MOST_KEY = 500

/** Checks a key by a request, and stores it with the address of its server. */
export const login: Handler<{ readonly profile: string }> = async ({ words: [address], options }) => {
  const name = nameOfProfile(options.profile)
  const { TIDEMARK_URL: fromEnvironment } = process.env
  const url = apiUrl(address ?? (fromEnvironment || LOCAL), address === undefined ? 'TIDEMARK_URL' : 'the address')
  // Before the question for a key: a file that cannot be read would make the answer useless.
  const { profiles: known } = readProfiles(process.env)
  const given = process.env['TIDEMARK_API_KEY'] || (await askForKey(url))
  if (given.trim() === '')
    throw new RemoteError('there is no key: set TIDEMARK_API_KEY, or write it to standard input', 'usage')
  const key = readKey(given, 'what was given')
  const { tier } = await new RemoteClient({ url, key, from: 'this login' }).json<Usage>({
    method: 'GET',
    path: '/v1/usage',
  })
  const path = writeProfiles(process.env, { current: name, profiles: { ...known, [name]: { url, key } } })
  const text = `Logged in to ${url}, to a team on the plan ${printable(tier)}. The key is in ${path}.\n`
  await printDone(options, { name, url, plan: tier, file: path }, text)
  if (isReadable(url)) tell(`The key travels to ${url} unencrypted: others on the way can read it.\n`)
}

async function printDone<T extends { readonly name: string }>(
  options: OutputOptions,
  data: T,
  text: string,
): Promise<void> {
  const form = formOf(options)
  if (isForPrograms(form)) return printData(form, data)
  print(form === 'name' ? `${data.name}\n` : text)
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

/** Reads a key from standard input. On a terminal it is not shown. */
async function askForKey(url: string): Promise<string> {
  const { stdin, stderr } = process
  if (stdin.isTTY) {
    stderr.write(`API key for ${url}: `)
    const lines = createInterface({
      input: stdin,
      output: new Writable({ write: (_, __, done) => done() }),
      terminal: true,
    })
    const key = await new Promise<string>((resolve) => {
      lines.once('line', resolve).once('close', () => resolve(''))
      lines.once('SIGINT', () => {
        stderr.write('\n')
        process.exit(exitCode('interrupted'))
      })
    })
    lines.close()
    stderr.write('\n')
    return key
  }
  let text = ''
  for await (const part of stdin.setEncoding('utf8')) {
    text += String(part)
    if (text.length > MOST_KEY || text.includes('\n')) break
  }
  return text.split('\n', 1)[0] ?? ''
}

export const logout: Handler<object> = async ({ options }) => {
  const { profile } = options
  const { current, profiles: known } = readProfiles(process.env)
  const name = profile ?? current
  if (name === null) throw new RemoteError(`there is no login in ${profilesPath(process.env)}`)
  if (!Object.hasOwn(known, name)) throw new RemoteError(`there is no profile ${name}`)
  const rest = Object.entries(known).filter(([other]) => other !== name)
  const next = name === current ? null : current
  writeProfiles(process.env, { current: next, profiles: Object.fromEntries(rest) })
  await printDone(options, { name }, `Forgot the profile ${name}. Its key is still valid.\n`)
}

export const profiles: Handler<object> = async ({ options }) => {
  const { current, profiles: known } = readProfiles(process.env)
  const items = Object.entries(known).map(([name, { url }]) => ({ name, url, isCurrent: name === current }))
  await printItems(formOf(options), {
    items,
    columns: [
      { head: 'NAME', cell: ({ name }) => name },
      { head: 'CURRENT', cell: ({ isCurrent }) => (isCurrent ? 'yes' : '') },
      { head: 'URL', cell: ({ url }) => url },
    ],
    name: ({ name }) => name,
    data: ({ name, url, isCurrent }) => ({ name, url, current: isCurrent }),
    none: 'There is no login. Call ./tidemark login.',
  })
}
