import type { OutageLog } from '../../concurrency/loops/outage.ts'
import { createWakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import { EVENT_LIMITS } from '../../schema/overview/event-limits.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { LOCKED_TEAM, lookForNews, nameMonitors, type News, restingMonitors } from '../../store/overview/news.ts'
import type { OverviewKind } from '../../store/overview/wanted-monitors.ts'
import { later } from '../http/common-errors.ts'
import { type ChangedState, type Listener, TeamFeed } from './team-feed.ts'

interface LooksOptions {
  readonly store: Store
  readonly log: OutageLog & { warn(fields: object, message: string): void }
}

/** Looks that somebody asked for do not follow each other faster than this. */
const SOON_MS = 100

/**
 * Looks into the store once a second for all teams together that somebody listens to, and gives what it finds to their
 * feeds. While nobody listens, nothing is asked.
 */
export class EventLooks {
  readonly #options: LooksOptions
  readonly #feeds = new Map<string, TeamFeed>()
  readonly #waiting = new Map<Listener, PromiseWithResolvers<void>>()
  #kinds: readonly OverviewKind[] = []
  readonly #loop = createWakeableLoop({
    work: () => this.#work(),
    onFault: (error) => this.#failed(error),
    faultPauses: { firstMs: EVENT_LIMITS.lookMs, longestMs: EVENT_LIMITS.lookMs },
    gatherMs: SOON_MS,
  })
  /** Looks since the start, and the seconds that they took. */
  readonly figures = { looks: 0, seconds: 0 }

  constructor(options: LooksOptions) {
    this.#options = options
  }

  /** Adds a listener to the feed of a team. Resolves when it was told its place. Rejects if the store is away. */
  async join(kinds: readonly OverviewKind[], teamId: string, listener: Listener): Promise<void> {
    this.#kinds = kinds
    const feed = this.#feeds.get(teamId) ?? new TeamFeed(teamId)
    this.#feeds.set(teamId, feed)
    feed.add(listener)
    const placed = Promise.withResolvers<void>()
    this.#waiting.set(listener, placed)
    this.#loop.wake()
    await placed.promise
  }

  leave(teamId: string, listener: Listener): void {
    this.#feeds.get(teamId)?.remove(listener)
    this.#waiting.get(listener)?.resolve()
    this.#waiting.delete(listener)
  }

  /** Ends the looks. Listeners are told nothing more. */
  async close(): Promise<void> {
    await this.#loop.stop()
    this.#refuseWaiting(later('The process is closing.'))
  }

  #listened(): readonly TeamFeed[] {
    return [...this.#feeds.values()].filter(({ hasListeners }) => hasListeners)
  }

  /** A feed without listeners is kept for those who come back. */
  #forgetOld(): void {
    const since = performance.now() - EVENT_LIMITS.resumeMs
    for (const [id, feed] of this.#feeds) if (!feed.hasListeners && feed.lookedAt < since) this.#feeds.delete(id)
  }

  /** Returns the pause until the next look. Where nobody listens, it only forgets what nobody came back for. */
  async #work(): Promise<number> {
    this.#forgetOld()
    if (this.#listened().length === 0) return EVENT_LIMITS.resumeMs
    const began = performance.now()
    try {
      await this.#look()
    } finally {
      this.figures.looks += 1
      this.figures.seconds += (performance.now() - began) / 1_000
    }
    return Math.max(EVENT_LIMITS.lookMs, EVENT_LIMITS.lookShare * (performance.now() - began))
  }

  async #look(): Promise<void> {
    const feeds = this.#listened()
    const waiting = [...this.#waiting]
    const teams = feeds.map(({ teamId, since }) => ({ team_id: teamId, since }))
    const watched = feeds.flatMap(watchedBy)
    const found = await lookForNews(this.#options.store, { kinds: this.#kinds, teams, watched })
    const placed = new Set(waiting.map(([listener]) => listener))
    for (const news of found) await this.#give(news, placed)
    for (const [listener, { resolve }] of waiting) {
      this.#waiting.delete(listener)
      resolve()
    }
  }

  async #give(news: News, placed: ReadonlySet<Listener>): Promise<void> {
    const feed = this.#feeds.get(news.team_id)
    if (!feed) return
    const states = feed.resting === news.resting ? [] : await this.#statesOf(feed, news)
    feed.resting = news.resting
    feed.lookedAt = performance.now()
    feed.take(news, states, placed)
  }

  /**
   * Returns the monitors whose status is another one, without deleted ones. Null: there are too many, or the whole team
   * was locked or unlocked.
   */
  async #statesOf(feed: TeamFeed, { resting }: News): Promise<readonly ChangedState[] | null> {
    const { store } = this.#options
    const before = feed.statuses
    const now: TeamFeed['statuses'] =
      resting === LOCKED_TEAM ? new Map() : await restingMonitors(store, this.#kinds, feed.teamId)
    if (feed.resting === null || resting === LOCKED_TEAM || feed.resting === LOCKED_TEAM) {
      feed.statuses = now
      return feed.resting === null ? [] : null
    }
    const changed = [...new Set([...before.keys(), ...now.keys()])].filter((no) => before.get(no) !== now.get(no))
    const isMany = changed.length > EVENT_LIMITS.atOnce
    const named = isMany ? [] : await nameMonitors(store, feed.teamId, changed)
    feed.statuses = now
    if (isMany) return null
    return named.map(({ no, id, kind }) => ({ id, kind, status: now.get(no) ?? 'active' }))
  }

  #refuseWaiting(error: unknown): void {
    for (const [listener, placed] of this.#waiting) {
      for (const feed of this.#feeds.values()) feed.remove(listener)
      placed.reject(error)
    }
    this.#waiting.clear()
  }

  /** Who waits for a place is refused; all others are told later. */
  #failed(error: unknown): void {
    this.#refuseWaiting(error)
    if (storeOutage(this.#options.log).covers(error, 'looks for events')) return
    this.#options.log.warn({ err: error }, 'a look for events failed; the next one is in a second')
  }
}

/** Returns each monitor that listeners watch once, since the earliest of the instants at which they go on. */
function watchedBy({ teamId, listeners }: TeamFeed) {
  const since = new Map<number, number>()
  for (const { watched, resumesAt } of listeners)
    for (const no of watched.keys()) since.set(no, Math.min(since.get(no) ?? Infinity, resumesAt?.at ?? Infinity))
  return Array.from(since, ([no, at]) => ({ team_id: teamId, no, since: at === Infinity ? null : instantOf(at) }))
}

/** A client may name any number. The last year that Postgres and dates of JavaScript write alike is 9999. */
const LAST_MS = Date.parse('9999-01-01')
const instantOf = (ms: number): string => new Date(Math.min(ms, LAST_MS)).toISOString()
