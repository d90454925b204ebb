import { withTimeout } from './with-timeout.ts'

/** An item under our lease. */
export interface Lease<T> {
  readonly item: T
  /**
   * Aborted when the lease is lost, or given back. Undefined while there is nothing to abort: no work, or its record.
   */
  lost?: AbortController | undefined
  /** `performance.now()` when the lease was last extended. */
  extendedAt: number
}

/** What the leases are of, and how they are kept. */
interface Leasing<T, K> {
  readonly leaseMs: number
  readonly keyOf: (item: T) => K
  /** Extends the leases; returns the keys of those that are still ours. */
  readonly extend: (items: readonly T[]) => Promise<ReadonlySet<K>>
  /** Gives items back: they are due at once. */
  readonly release: (items: readonly T[]) => Promise<void>
  readonly onLost?: (item: T) => void
  readonly onFault: (error: unknown, doing: 'extend' | 'release') => void
}

/**
 * Items under our lease, from their claim to their record: keeps the leases alive, and gives back what will not be
 * finished.
 */
export interface LeaseKeeper<T> {
  /** Keeps the leases alive from now on, until a drain. */
  start(): void
  /** Takes over what was claimed at this time; a lease of the same key under an older fence is void. */
  hold(item: T, claimedAt?: number): Lease<T>
  /** The lease of an item; undefined when it was lost. */
  of(item: T): Lease<T> | undefined
  /** It was recorded. */
  drop(lease: Lease<T>): void
  /**
   * Gives back those that `which` names, unrecorded. Never rejects: what cannot be given back is due again when its
   * lease ends.
   */
  release(which: (lease: Lease<T>) => boolean): Promise<void>
  /**
   * Gives back what has not started; waits for the work under way; aborts what is not done at the end of the grace, and
   * gives it back. What is only being recorded then is left: its record may yet succeed. Never rejects.
   */
  drain(work: Draining<T>, graceMs: number): Promise<void>
}

/** What a drain finds. */
interface Draining<T> {
  /** Settled when no work is under way. */
  readonly ended: Promise<unknown>
  readonly unstarted?: readonly T[]
}

/** Part of a drain's grace that is kept for writing down what happened. */
const MOST_WRITING_MS = 2_000
/** A drain does not wait longer for a store that does not answer. */
const RELEASE_MS = 1_000

export function createLeaseKeeper<T extends object, K>(leasing: Leasing<T, K>): LeaseKeeper<T> {
  const { leaseMs, keyOf, extend, onLost, onFault } = leasing
  const leases = new Map<K, Lease<T>>()
  let timer: NodeJS.Timeout | undefined

  function drop(lease: Lease<T>): void {
    const key = keyOf(lease.item)
    if (leases.get(key) === lease) leases.delete(key)
  }

  function lose(lease: Lease<T>): void {
    onLost?.(lease.item)
    lease.lost?.abort()
    drop(lease)
  }

  /** Extends the leases that are a third through. So quick work never costs a heartbeat. */
  async function heartbeat(): Promise<void> {
    const now = performance.now()
    const due = [...leases.values()].filter(({ extendedAt }) => now - extendedAt > leaseMs / 3)
    if (due.length === 0) return
    for (const lease of due) lease.extendedAt = now
    try {
      const kept = await extend(due.map(({ item }) => item))
      for (const lease of due) if (!kept.has(keyOf(lease.item))) lose(lease)
    } catch (error) {
      // The next one, in a moment, may still extend the lease; if not, the fence keeps our result out.
      for (const lease of due) lease.extendedAt = -Infinity
      onFault(error, 'extend')
    }
  }

  async function release(which: (lease: Lease<T>) => boolean): Promise<void> {
    const given = [...leases.values()].filter(which)
    if (given.length === 0) return
    for (const lease of given) {
      lease.lost?.abort()
      drop(lease)
    }
    try {
      await leasing.release(given.map(({ item }) => item))
    } catch (error) {
      onFault(error, 'release')
    }
  }

  return {
    start: () => void (timer ??= setInterval(() => void heartbeat(), Math.min(1_000, leaseMs / 6))),
    hold(item, claimedAt = performance.now()) {
      const key = keyOf(item)
      // Held already: its lease ended unnoticed, and it came back to us. The work under the old fence is void.
      leases.get(key)?.lost?.abort()
      const lease = { item, lost: undefined, extendedAt: claimedAt }
      leases.set(key, lease)
      return lease
    },
    of(item) {
      const lease = leases.get(keyOf(item))
      return lease?.item === item ? lease : undefined
    },
    drop,
    release,
    async drain({ ended, unstarted = [] }, graceMs) {
      const notStarted = new Set(unstarted)
      if (notStarted.size > 0) await release(({ item }) => notStarted.has(item))
      const writingMs = Math.min(MOST_WRITING_MS, graceMs / 5)
      await withTimeout(ended, graceMs - writingMs, () => {})
      for (const { lost } of leases.values()) lost?.abort()
      await withTimeout(ended, writingMs, () => {})
      const given = release(({ lost }) => lost?.signal.aborted === true)
      await withTimeout(given, RELEASE_MS, () => {})
      clearInterval(timer)
    },
  }
}
