import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { isIPv6 } from 'node:net'
import { addressBytes, holds, parseCidr } from '../../egress/address.ts'
import { leaseTokens, purgeRateLimits } from '../../store/accounts/rate-limit.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'

/** Whether a request is allowed, and the values of the rate-limit headers. */
interface RateVerdict {
  readonly passed: boolean
  readonly limit: number
  /** At least this many more requests are allowed this minute. */
  readonly remaining: number
  /** Whole seconds until the next minute, at least 1. */
  readonly resetSeconds: number
}

/** A limit of requests a minute for a subject: `key:<id>`, `address:<ip>`. */
export interface RateRule {
  readonly subject: string
  readonly perMinute: number
  /**
   * Every request is counted in the store at once, for the few routes that must not be guessed or flooded. Otherwise a
   * process leases blocks.
   */
  readonly exact: boolean
}

export interface RateLimits {
  take(rule: RateRule): Promise<RateVerdict>
}

interface Counter {
  tokens: number
  remaining: number
  endsAt: number
  leasing: Promise<void> | null
}

/**
 * A block is this part of a limit. So a busy key causes about fifty writes to the store a minute, however much it
 * sends.
 */
const BLOCKS_PER_LIMIT = 50
const PURGE_EVERY_MS = 60_000

/**
 * Limits that all processes share through the store. A process leases a block of requests and counts it down in memory.
 * When the store grants no more, the process refuses requests without asking again until the minute is over.
 */
export function createRateLimits(store: Store, log: FastifyBaseLogger): RateLimits {
  const counters = new Map<string, Counter>()
  let purgedAt = performance.now()
  return {
    async take(rule) {
      for (;;) {
        const counter = current(rule.subject)
        if (counter && counter.tokens > 0) {
          counter.tokens -= 1
          return verdict(rule, counter, true)
        }
        if (counter && counter.remaining === 0 && !counter.leasing) return verdict(rule, counter, false)
        await lease(rule)
      }
    },
  }

  function current(subject: string): Counter | undefined {
    const counter = counters.get(subject)
    return counter && performance.now() < counter.endsAt ? counter : undefined
  }

  function lease(rule: RateRule): Promise<void> {
    const counter = current(rule.subject) ?? {
      tokens: 0,
      remaining: rule.perMinute,
      endsAt: performance.now() + 1_000,
      leasing: null,
    }
    counters.set(rule.subject, counter)
    counter.leasing ??= fill(counter, rule).finally(() => (counter.leasing = null))
    return counter.leasing
  }

  async function fill(counter: Counter, rule: RateRule): Promise<void> {
    const block = rule.exact ? 1 : Math.max(1, Math.floor(rule.perMinute / BLOCKS_PER_LIMIT))
    const began = performance.now()
    const { granted, remaining, endsMs } = await leaseTokens(store, rule.subject, rule.perMinute, block)
    counter.tokens += granted
    counter.remaining = remaining
    counter.endsAt = began + endsMs
    if (began - purgedAt > PURGE_EVERY_MS) purge(began)
  }

  function purge(now: number): void {
    purgedAt = now
    for (const [subject, counter] of counters) if (counter.endsAt < now && !counter.leasing) counters.delete(subject)
    purgeRateLimits(store).catch((error: unknown) => {
      if (storeOutage(log).covers(error, 'purges of rate limits')) return
      log.warn({ err: error }, 'old rate limits could not be deleted')
    })
  }
}

const verdict = (rule: RateRule, counter: Counter, passed: boolean): RateVerdict => ({
  passed,
  limit: rule.perMinute,
  remaining: counter.tokens + counter.remaining,
  resetSeconds: Math.max(1, Math.ceil((counter.endsAt - performance.now()) / 1_000)),
})

/**
 * Returns the client's address: that of the connection, or the one that a trusted proxy reports. An IPv4 address is
 * returned as such, also when it came over an IPv6 socket.
 */
export function clientAddress(request: FastifyRequest): string | null {
  const address: string | undefined = request.ip
  return address === undefined ? null : plain(address)
}

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/**
 * Returns what the connections of an address are counted by: its block; null for a trusted proxy, whose connections are
 * those of many clients.
 */
export function connectionKey(trustedProxies: readonly string[]): (address: string) => string | null {
  const ranges = trustedProxies.flatMap((text) => parseCidr(text) ?? [])
  return (given) => {
    const address = plain(given)
    const bytes = addressBytes(address)
    return bytes && ranges.some((range) => holds(range, bytes)) ? null : addressBlock(address)
  }
}

/**
 * Returns the addresses that one customer of a provider can use: an IPv4 address, or the /64 of an IPv6 one. Limits
 * count by it.
 */
export function addressBlock(address: string | null): string {
  if (address === null) return 'unknown'
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.replace(/%.*$/s, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const full =
    tail === undefined
      ? groups
      : [...groups, ...Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0'), ...rest]
  return full
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')
}
