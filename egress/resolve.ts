import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { EgressFailure } from './egress-failure.ts'
import { errorCode } from './egress-failure.ts'

/** One address that a name resolves to. */
export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** Looks up all addresses of a name. Rejects with a `code` of `node:dns` (`ENOTFOUND`, `EAI_AGAIN`, …). */
export type Lookup = (hostname: string) => Promise<readonly { address: string; family: number }[]>

type Resolved =
  | { readonly ok: true; readonly addresses: readonly Address[] }
  | { readonly ok: false; readonly failure: EgressFailure }

export interface Resolver {
  /**
   * Never rejects. A literal resolves to itself, `localhost` to the two loopback addresses, any other name by lookup.
   */
  resolve(hostname: string): Promise<Resolved>
}

interface ResolverOptions {
  readonly lookup?: Lookup
  /** How long one caller waits, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number
  /** How long a result is reused, in milliseconds. Default 5,000; 0: only while the lookup runs. */
  readonly cacheMs?: number
  readonly now?: () => number
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
  const answers = new LRUCache<string, Resolved>({ max: MOST_ENTRIES, ttlResolution: 0, perf: { now } })
  // A lookup under way may fall out too: those who wait hold the promise, and only the sharing is lost.
  const underWay = new LRUCache<string, Promise<Resolved>>({ max: MOST_ENTRIES })

  function startLookup(name: string): Promise<Resolved> {
    const answer = ask(lookup, name)
    underWay.set(name, answer)
    void answer.then((resolved) => {
      if (underWay.peek(name) === answer) underWay.delete(name)
      if (cacheMs > 0) answers.set(name, resolved, { ttl: cacheMs })
    })
    return answer
  }

  return {
    resolve(hostname) {
      const name = plainName(hostname)
      const family = isIP(name)
      if (family !== 0)
        return Promise.resolve({ ok: true, addresses: [{ address: name, family: family === 4 ? 4 : 6 }] })
      if (isLocalhost(name)) return Promise.resolve(LOOPBACK)
      const known = answers.get(name)
      if (known !== undefined) return Promise.resolve(known)
      return withCap(underWay.get(name) ?? startLookup(name), timeoutMs)
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
