import { LRUCache } from 'lru-cache'
import { isIP } from 'node:net'
import { Slots } from '../concurrency/gates/slots.ts'
import { createDnsLookup, type Lookup } from './dns-lookup.ts'
import type { EgressFailure } from './egress-failure.ts'
import { errorCode } from './egress-failure.ts'

/** One address that a name resolves to. */
export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

type Resolved =
  | { readonly ok: true; readonly addresses: readonly Address[] }
  | { readonly ok: false; readonly failure: EgressFailure }

export interface Resolver {
  /**
   * Never rejects. A literal resolves to itself, `localhost` to the two loopback addresses, any other name by lookup.
   * `whose` is an opaque key of the team that asks; '' is Tidemark itself.
   */
  resolve(hostname: string, whose?: string): Promise<Resolved>
}

interface ResolverOptions {
  readonly lookup?: Lookup
  /** How long one caller waits, and how long one lookup runs, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number
  /** How long a result is reused, in milliseconds. Default 5,000; 0: only while the lookup runs. */
  readonly cacheMs?: number
  /** How long a name whose servers did not answer is not asked for again, in milliseconds. Default 10,000. */
  readonly silenceMs?: number
  /**
   * Lookups at once: all together (default 512), and of one team (default 64). Further ones wait for their turn. Teams
   * leave slots to each other, and those whose names are answered have some that no others use.
   */
  readonly pending?: { readonly total: number; readonly perTeam: number }
  readonly now?: () => number
}

const MAX_ENTRIES = 1_000
const PENDING = { total: 512, perTeam: 64 }
const TIMED_OUT: Resolved = { ok: false, failure: { kind: 'dns', cause: 'timeout' } }
const LOOPBACK: Resolved = {
  ok: true,
  addresses: [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ],
}

/**
 * Returns the only component that turns names into addresses. Callers of one team for the same name share one lookup.
 * The number of lookups at once is limited, in total and for each team, and teams take turns: names whose servers never
 * answer delay only the names of the same team. So a lookup is not shared between teams, because one of them may have
 * to wait for its turn.
 *
 * Results are cached for a few seconds, so that a pool which opens many connections looks up once. The caller pins the
 * addresses that it was given, so the cache cannot bypass vetting.
 */
export function createResolver(options: ResolverOptions = {}): Resolver {
  const { lookup = createDnsLookup(), timeoutMs = 5_000, cacheMs = 5_000, silenceMs = 10_000 } = options
  const { pending = PENDING, now = () => performance.now() } = options
  const answers = new LRUCache<string, Resolved>({ max: MAX_ENTRIES, ttlResolution: 0, perf: { now } })
  // A lookup under way may fall out too: those who wait hold the promise, and only the sharing is lost.
  const underWay = new LRUCache<string, Promise<Resolved>>({ max: MAX_ENTRIES })
  const slots = new Slots({ total: pending.total, perTeam: pending.perTeam, policy: 'shares' })

  async function lookedUp(name: string, whose: string): Promise<Resolved> {
    const leave = await slots.take(whose, { waitMs: timeoutMs })
    // Not cached: it says nothing about the name.
    if (typeof leave !== 'function') return TIMED_OUT
    try {
      // Another team may have looked it up while this one waited.
      return answers.get(name) ?? remembered(name, await ask(lookup, name, timeoutMs))
    } finally {
      leave()
    }
  }

  function remembered(name: string, resolved: Resolved): Resolved {
    if (cacheMs > 0) answers.set(name, resolved, { ttl: resolved === TIMED_OUT ? silenceMs : cacheMs })
    return resolved
  }

  function startLookup(name: string, whose: string): Promise<Resolved> {
    const key = keyOf(name, whose)
    const answer = lookedUp(name, whose)
    underWay.set(key, answer)
    void answer.then(() => {
      if (underWay.peek(key) === answer) underWay.delete(key)
    })
    return answer
  }

  return {
    resolve(hostname, whose = '') {
      const name = plainName(hostname)
      const family = isIP(name)
      if (family !== 0)
        return Promise.resolve({ ok: true, addresses: [{ address: name, family: family === 4 ? 4 : 6 }] })
      if (isLocalhost(name)) return Promise.resolve(LOOPBACK)
      const known = answers.get(name)
      if (known !== undefined) return Promise.resolve(known)
      return withCap(underWay.get(keyOf(name, whose)) ?? startLookup(name, whose), timeoutMs)
    },
  }
}

const keyOf = (name: string, whose: string): string => `${whose} ${name}`

let shared: Resolver | undefined

/** Returns the resolver of this process. Checks, webhooks and browsers share it, so that its limits hold for all. */
export function systemResolver(): Resolver {
  return (shared ??= createResolver())
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

async function ask(lookup: Lookup, name: string, timeoutMs: number): Promise<Resolved> {
  const late = new AbortController()
  const silent = Promise.withResolvers<Resolved>()
  const timer = setTimeout(() => {
    silent.resolve(TIMED_OUT)
    late.abort()
  }, timeoutMs)
  try {
    return await Promise.race([answerOf(lookup(name, late.signal)), silent.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function answerOf(asked: ReturnType<Lookup>): Promise<Resolved> {
  try {
    const addresses: Address[] = []
    for (const { address } of await asked) {
      const family = isIP(address)
      addresses.push({ address, family: family === 6 ? 6 : 4 })
    }
    return addresses.length === 0 ? notResolved('not_found') : { ok: true, addresses }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOTFOUND' || code === 'ENODATA') return notResolved('not_found')
    return code === 'ETIMEOUT' || code === 'ECANCELLED' ? TIMED_OUT : notResolved('failed')
  }
}

function notResolved(cause: 'not_found' | 'failed'): Resolved {
  return { ok: false, failure: { kind: 'dns', cause } }
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
