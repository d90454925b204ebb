import { withTimeout } from '../loops/retry.ts'

/** An item that this process has leased. */
export interface Lease<T> {
  readonly item: T
  /**
   * Aborted when the lease is lost or given back. Undefined while there is nothing to abort: no work runs, or the
   * result is being recorded.
   */
  lost?: AbortController | undefined
  /** `performance.now()` when the lease was last extended. */
  extendedAt: number
}

/** The items that are leased, and the functions that extend and release their leases. */
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

/** Keeps the leases of items alive from their claim to their record, and gives back items that will not be finished. */
export interface LeaseKeeper<T> {
  /** Keeps the leases alive from now on, until a drain. */
  start(): void
  /** Adds an item that was claimed at this time. A lease of the same key under an older fence becomes void. */
  hold(item: T, claimedAt?: number): Lease<T>
  /** Returns the lease of an item; undefined when it was lost. */
  of(item: T): Lease<T> | undefined
  /** Removes a lease whose item was recorded. */
  drop(lease: Lease<T>): void
  /**
   * Gives back the unrecorded items whose leases `which` selects. Never rejects: an item that cannot be given back is
   * due again when its lease ends.
   */
  release(which: (lease: Lease<T>) => boolean): Promise<void>
  /**
   * Gives back items that have not started, and waits for the work under way. At the end of the grace period it aborts
   * unfinished work and gives it back. Items that are only being recorded then are left alone, because their record may
   * still succeed. Never rejects.
   */
  drain(work: Draining<T>, graceMs: number): Promise<void>
}

/** The state of the work when a drain begins. */
interface Draining<T> {
  /** Resolves when no work is under way. */
  readonly ended: Promise<unknown>
  readonly unstarted?: readonly T[]
}

/** The longest part of a drain's grace period that is reserved for recording results. */
const MAX_WRITING_MS = 2_000
/** A drain waits at most this long for a store that does not respond. */
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

  /** Extends the leases of which a third has passed. So quick work never needs a heartbeat. */
  async function heartbeat(): Promise<void> {
    const now = performance.now()
    const due = [...leases.values()].filter(({ extendedAt }) => now - extendedAt > leaseMs / 3)
    if (due.length === 0) return
    for (const lease of due) lease.extendedAt = now
    try {
      const kept = await extend(due.map(({ item }) => item))
      for (const lease of due) if (!kept.has(keyOf(lease.item))) lose(lease)
    } catch (error) {
      // The next heartbeat may still extend the lease. If it does not, the fence makes our result void.
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
      // If the key is leased already, that lease ended unnoticed and the item was claimed again. The work under the old
      // fence is void.
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
      const writingMs = Math.min(MAX_WRITING_MS, graceMs / 5)
      await withTimeout(ended, graceMs - writingMs, () => {})
      for (const { lost } of leases.values()) lost?.abort()
      await withTimeout(ended, writingMs, () => {})
      const given = release(({ lost }) => lost?.signal.aborted === true)
      await withTimeout(given, RELEASE_MS, () => {})
      clearInterval(timer)
    },
  }
}
