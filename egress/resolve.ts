import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { EgressFailure } from './egress-failure.ts'
import { errorCode } from './egress-failure.ts'

/** One address that a name resolves to. */
export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** Looks up all addresses of a name. Rejects with a `code` of `node:dns` (`ENOTFOUND`, `EAI_AGAIN`, …). */
export type Lookup = (hostname: string) => Promise<readonly { address: string; family: number }[]>

export type Resolved =
  | { readonly ok: true; readonly addresses: readonly Address[] }
  | { readonly ok: false; readonly failure: EgressFailure }

export interface Resolver {
  /**
   * Never rejects. A literal resolves to itself, `localhost` to the two loopback addresses, any other name by lookup.
   */
  resolve(hostname: string): Promise<Resolved>
}

export interface ResolverOptions {
  readonly lookup?: Lookup
  /** How long one caller waits, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number
  /** How long a result is reused, in milliseconds. Default 5,000; 0: only while the lookup runs. */
  readonly cacheMs?: number
  readonly now?: () => number
}

interface Entry {
  readonly answer: Promise<Resolved>
  /** Infinity while the lookup runs. */
  until: number
}

const MOST_ENTRIES = 1_000
const TIMED_OUT: Resolved = { ok: false, failure: { kind: 'dns', cause: 'timeout' } }
const LOOPBACK: Resolved = {
  ok: true,
  addresses: [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ],
}

/**
 * Returns the only component that turns names into addresses. Callers for the same name share one lookup while it runs,
 * even after they stopped waiting: getaddrinfo occupies a thread of a small pool, and a name with hanging servers must
 * not take all threads. Results are cached for a few seconds, so that a pool which opens many connections looks up
 * once. The caller pins the addresses that it was given, so the cache cannot bypass vetting.
 */
export function createResolver(options: ResolverOptions = {}): Resolver {
  const { lookup = lookupAll, timeoutMs = 5_000, cacheMs = 5_000, now = () => performance.now() } = options
  const entries = new Map<string, Entry>()

  function entryOf(name: string): Entry {
    const known = entries.get(name)
    if (known !== undefined && known.until > now()) return known
    const entry: Entry = { answer: ask(lookup, name), until: Infinity }
    entries.delete(name)
    entries.set(name, entry)
    if (entries.size > MOST_ENTRIES) dropOldest(entries)
    void entry.answer.then(() => {
      if (cacheMs > 0) entry.until = now() + cacheMs
      else if (entries.get(name) === entry) entries.delete(name)
    })
    return entry
  }

  return {
    resolve(hostname) {
      const name = plainName(hostname)
      const family = isIP(name)
      if (family !== 0)
        return Promise.resolve({ ok: true, addresses: [{ address: name, family: family === 4 ? 4 : 6 }] })
      if (isLocalhost(name)) return Promise.resolve(LOOPBACK)
      const { answer, until } = entryOf(name)
      return until === Infinity ? withCap(answer, timeoutMs) : answer
    },
  }
}

/** Returns the form in which names are compared: lower case, without brackets and without one trailing dot. */
export function plainName(hostname: string): string {
  const name = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()
}

/** RFC 6761: `localhost` and every name below it is this machine, whatever a resolver returns. Takes a plain name. */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

async function ask(lookup: Lookup, name: string): Promise<Resolved> {
  try {
    const addresses: Address[] = []
    for (const { address } of await lookup(name)) {
      const family = isIP(address)
      addresses.push({ address, family: family === 6 ? 6 : 4 })
    }
    return addresses.length === 0 ? notResolved('not_found') : { ok: true, addresses }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOTFOUND' || code === 'ENODATA') return notResolved('not_found')
    return notResolved(code === 'ETIMEOUT' ? 'timeout' : 'failed')
  }
}

function notResolved(cause: 'not_found' | 'failed' | 'timeout'): Resolved {
  return { ok: false, failure: { kind: 'dns', cause } }
}

function lookupAll(hostname: string): Promise<readonly { address: string; family: number }[]> {
  return systemLookup(hostname, { all: true, order: 'verbatim' })
}

function withCap(answer: Promise<Resolved>, timeoutMs: number): Promise<Resolved> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, TIMED_OUT)
    void answer.then((resolved) => {
      clearTimeout(timer)
      resolve(resolved)
    })
  })
}

/** A running entry may be dropped too: its callers keep the promise, and only the sharing is lost. */
function dropOldest(entries: Map<string, Entry>): void {
  const oldest = entries.keys().next()
  if (oldest.done !== true) entries.delete(oldest.value)
}
