import { Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { addressBytes, classify } from './address.ts'
import { errorCode } from './egress-failure.ts'

/**
 * Looks up all addresses of a name, which is in lower case and has no dot at its end. Rejects with a `code` of
 * `node:dns` (`ENOTFOUND`, `ESERVFAIL`, …). The signal ends it: nobody waits for it any more.
 */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<readonly { address: string; family: number }[]>

interface DnsLookupOptions {
  /** Default `/etc/hosts`. */
  readonly hosts?: string
  /** Default `/etc/resolv.conf`. Only its search rules are read from it here: c-ares reads the name servers itself. */
  readonly resolvConf?: string
  /** Name servers as `address:port`, instead of those of the machine. */
  readonly servers?: readonly string[]
}

/** Milliseconds for the first try of one server; c-ares doubles it for the second one. */
const TRY_MS = 1_500
const TRIES = 3
/** Once addresses of one family are known, those of the other are waited for this long (RFC 8305 §3 has 50 ms). */
const OTHER_FAMILY_MS = 500
/** The files are looked at no more often than this. */
const FILES_MS = 1_000

/**
 * Returns a lookup that uses no thread: the hosts file, then DNS by c-ares. getaddrinfo occupies one of four threads
 * for as long as a name server is silent, and those threads serve every team (decision 0013). What getaddrinfo reads
 * besides the name servers is read here: the hosts file, and the rules `search`, `domain` and `ndots`.
 *
 * Every lookup has its own c-ares channel (22 µs), so that it can be ended by itself, and its queries leave from their
 * own port.
 */
export function createDnsLookup(options: DnsLookupOptions = {}): Lookup {
  const { hosts = '/etc/hosts', resolvConf = '/etc/resolv.conf', servers } = options
  const known = watched(hosts, parseHosts, new Map())
  const rules = watched(resolvConf, parseSearchRules, DEFAULT_RULES)
  return async (hostname, signal) => {
    const listed = known().get(hostname)
    if (listed !== undefined) return ordered(listed)
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
    if (servers !== undefined) resolver.setServers([...servers])
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return ordered(await search(resolver, namesToAsk(hostname, rules()), signal))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/**
 * Asks for one name after the other until one has addresses, as the C library does: a server failure moves on to the
 * next name, silence does not. Rejects with the most telling error.
 */
async function search(resolver: Resolver, names: readonly string[], signal: AbortSignal): Promise<string[]> {
  let failure: unknown = noSuchHost()
  for (const name of names) {
    try {
      const addresses = await bothFamilies(resolver, name)
      if (addresses.length > 0) return addresses
    } catch (error) {
      if (signal.aborted || !ANSWERED.has(errorCode(error))) throw error
      failure = error
    }
  }
  throw failure
}

/** Errors after which the next name of the search list is asked for. */
const ANSWERED: ReadonlySet<string> = new Set(['ESERVFAIL', 'EREFUSED', 'ENOTIMP'])
/** Errors that mean: there are no such records. */
const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

function noSuchHost(): Error {
  return Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })
}

/** Returns the addresses of both families; none when the name has none. Rejects when neither family was answered. */
async function bothFamilies(resolver: Resolver, name: string): Promise<string[]> {
  const [four, six] = [resolver.resolve4(name), resolver.resolve6(name)].map(absentIsEmpty) as [Asked, Asked]
  const first = await Promise.race([four, six])
  const isEnough = first.addresses.length > 0
  const [v4, v6] = await Promise.all(isEnough ? [soon(four), soon(six)] : [four, six])
  const addresses = [...v4.addresses, ...v6.addresses]
  const error = v4.error ?? v6.error
  if (addresses.length === 0 && error) throw error
  return addresses
}

type Asked = Promise<{ readonly addresses: readonly string[]; readonly error?: Error }>

function absentIsEmpty(asked: Promise<string[]>): Asked {
  return asked.then(
    (addresses) => ({ addresses }),
    (error: Error) => (ABSENT.has(errorCode(error)) ? { addresses: [] } : { addresses: [], error }),
  )
}

async function soon(asked: Asked): Asked {
  const late = Promise.withResolvers<Awaited<Asked>>()
  const timer = setTimeout(() => late.resolve({ addresses: [] }), OTHER_FAMILY_MS)
  try {
    return await Promise.race([asked, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the families in turn, so that both are among the addresses that are tried first. */
function ordered(addresses: readonly string[]): { address: string; family: number }[] {
  const byFamily = (family: number) =>
    addresses.filter((address) => isIP(address) === family).map((address) => ({ address, family }))
  const families = hasGlobalV6() ? [byFamily(6), byFamily(4)] : [byFamily(4), byFamily(6)]
  return addresses.flatMap((_, n) => families.flatMap((of) => of[n] ?? []))
}

/** Whether this machine has a public IPv6 address: then IPv6 goes first, as RFC 6724 has it. */
function hasGlobalV6(): boolean {
  return Object.values(networkInterfaces()).some((list) =>
    list?.some(({ family, address }) => family === 'IPv6' && classify(address) === 'public'),
  )
}

/** Returns the names in the order in which they are asked for (resolv.conf(5), `ndots` and `search`). */
export function namesToAsk(name: string, { search: domains, ndots }: SearchRules): string[] {
  const dots = name.split('.').length - 1
  const below = domains.map((domain) => `${name}.${domain}`)
  return dots >= ndots ? [name, ...below] : [...below, name]
}

interface SearchRules {
  readonly search: readonly string[]
  readonly ndots: number
}

const DEFAULT_RULES: SearchRules = { search: [], ndots: 1 }
/** The C library's own limit. */
const MAX_DOTS = 15

/** Reads `search`, `domain` (the last of them counts) and `options ndots:n` of a resolv.conf. */
export function parseSearchRules(text: string): SearchRules {
  let { search: domains, ndots } = DEFAULT_RULES
  for (const [keyword, ...rest] of wordsOf(text, /[#;]/)) {
    if (keyword === 'search') domains = rest
    else if (keyword === 'domain') domains = rest.slice(0, 1)
    else if (keyword === 'options') ndots = dotsOf(rest) ?? ndots
  }
  // A `.` is the root: the name as it is, which is asked for anyway.
  const trimmed = domains.map((domain) => domain.replace(/\.$/, '').toLowerCase()).filter((domain) => domain !== '')
  return { search: trimmed, ndots }
}

function dotsOf(options: readonly string[]): number | undefined {
  const found = options.map((option) => /^ndots:(\d+)$/.exec(option)?.[1]).findLast((dots) => dots !== undefined)
  return found === undefined ? undefined : Math.min(MAX_DOTS, Number(found))
}

/** Reads a hosts file: addresses by name, in lower case. Lines whose address is not one are left out. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>()
  for (const [address = '', ...names] of wordsOf(text, /#/)) {
    if (addressBytes(address) === null) continue
    for (const name of names) {
      const plain = name.replace(/\.$/, '').toLowerCase()
      const others = byName.get(plain)
      if (others === undefined) byName.set(plain, [address])
      else if (!others.includes(address)) others.push(address)
    }
  }
  return byName
}

function wordsOf(text: string, comment: RegExp): string[][] {
  return text.split('\n').map((line) =>
    (line.split(comment)[0] ?? '')
      .trim()
      .split(/\s+/)
      .filter((word) => word !== ''),
  )
}

/**
 * Returns a function that reads a small file again after it changed. It looks once a second at most, and only when it
 * is asked. A file that is missing counts as `absent`.
 */
function watched<T>(path: string, parse: (text: string) => T, absent: T): () => T {
  let value = absent
  let seen = ''
  let lookedAt = -Infinity
  return () => {
    const now = performance.now()
    if (now - lookedAt < FILES_MS) return value
    lookedAt = now
    const version = versionOf(path)
    if (version === seen) return value
    seen = version
    value = version === '' ? absent : parse(readText(path))
    return value
  }
}

function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
