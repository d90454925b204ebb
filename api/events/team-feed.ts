import { randomBytes } from 'node:crypto'
import type { MonitorStatus } from '../../schema/monitor/monitor.ts'
import { EVENT_LIMITS } from '../../schema/overview/event-limits.ts'
import type { EventName, EventOf } from '../../schema/overview/event.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { News } from '../../store/overview/news.ts'
import { type EventCursor, eventText, idOf, placeText } from './event-text.ts'

/** Who is told of the events of a team. */
export interface Listener {
  /** The monitors whose runs it is told of, each with the last run of which it was. */
  readonly watched: Map<number, string | null>
  /** Where it goes on. Null: with what comes. It is null once the listener has its place. */
  resumesAt: EventCursor | null
  /** Takes texts of events. */
  tell(text: string): void
}

/** A monitor whose status is another one than at the last look. */
export interface ChangedState {
  readonly id: string
  readonly kind: MonitorKind
  readonly status: MonitorStatus
}

/** A monitor may be made and deleted within the overlap of two looks. */
const keyOfDeletion = ({ id }: { readonly id: string }): string => `deleted ${id}`

interface Kept {
  readonly seq: number
  readonly text: string
}

/**
 * The events of a team, in the order in which a process found them. It keeps the last ones, so that a stream that was
 * cut goes on behind the last event that it had.
 */
export class TeamFeed {
  readonly teamId: string
  readonly #id = BigInt(`0x${randomBytes(8).toString('hex')}`).toString(36)
  readonly #places = new Map<Listener, number | null>()
  #kept: Kept[] = []
  #seq = 0
  #told: ReadonlySet<string> = new Set()
  /** More happened than the listeners are told of one by one, and they do not know it yet. */
  #owesGap = false
  /** When they were told so last, by the clock of the store. */
  #gapAt = Number.NEGATIVE_INFINITY
  /** The clock of the store at the last look. Null: there was none. */
  since: string | null = null
  /** When that was, by the clock of the process. */
  lookedAt = 0
  /** What `News.resting` was, and the monitors of it. */
  resting: string | null = null
  statuses: ReadonlyMap<number, MonitorStatus> = new Map()

  constructor(teamId: string) {
    this.teamId = teamId
  }

  get listeners(): Iterable<Listener> {
    return this.#places.keys()
  }

  get hasListeners(): boolean {
    return this.#places.size > 0
  }

  /** Adds a listener. It has its place, and is told of events, once `take` was called. */
  add(listener: Listener): void {
    this.#places.set(listener, null)
  }

  remove(listener: Listener): void {
    this.#places.delete(listener)
  }

  /** Returns the cursor behind the last event. */
  get cursor(): EventCursor {
    return { feed: this.#id, seq: this.#seq, at: Date.parse(this.since ?? '') || 0 }
  }

  /**
   * Takes what one look found, and tells the listeners of it. `states` of null: too many changed. `placed` get their
   * place: the look began after they had come, so that it looked for their runs.
   */
  take(news: News, states: readonly ChangedState[] | null, placed: ReadonlySet<Listener>): void {
    const isFirst = this.since === null
    const told = this.#told
    this.since = news.at
    this.#told = new Set([
      ...news.changes.map(({ run_id: id }) => id),
      ...news.deliveries.map(({ id }) => id),
      ...news.deletions.map(keyOfDeletion),
      ...news.creations.map(({ id }) => id),
      // A monitor that was made paused may be found by its status first.
      ...(states ?? []).map(({ id }) => id),
    ])
    const changes = news.changes.filter(({ run_id: id }) => !told.has(id))
    const deliveries = news.deliveries.filter(({ id }) => !told.has(id))
    const deletions = news.deletions.filter((one) => !told.has(keyOfDeletion(one)))
    const known = new Set(states?.map(({ id }) => id))
    const creations = news.creations.filter(({ id }) => !told.has(id) && !known.has(id))
    const found = [news.changes, news.deliveries, news.deletions, news.creations]
    const { atOnce } = EVENT_LIMITS
    // The first look only finds out what there is already.
    if (isFirst) return this.#giveAll(news, placed)
    if (states === null || found.some(({ length }) => length > atOnce)) this.#owesGap = true
    else {
      for (const change of changes) this.#push('change', changeOf(change))
      for (const { id, kind, status } of [...creations, ...states])
        this.#push('state', { monitor: { id, kind }, status })
      for (const { id, kind } of deletions) this.#push('state', { monitor: { id, kind }, status: 'deleted' })
      for (const { monitor_id, kind, ...own } of deliveries)
        this.#push('delivery', { ...own, monitor: { id: monitor_id, kind } })
    }
    // What a look found is found by those after it, too: one gap stands for all of them.
    if (this.#owesGap && this.cursor.at - this.#gapAt >= EVENT_LIMITS.gapMs) {
      this.#push('gap', {})
      this.#owesGap = false
      this.#gapAt = this.cursor.at
    }
    this.#giveAll(news, placed)
  }

  #push<Name extends EventName>(name: Name, data: EventOf<Name>): void {
    this.#seq += 1
    const text = eventText(name, idOf(this.cursor), data)
    // What was before a gap is nothing to go on from.
    if (name === 'gap') this.#kept = []
    this.#kept.push({ seq: this.#seq, text })
    if (this.#kept.length > EVENT_LIMITS.kept) this.#kept.shift()
  }

  #giveAll({ runs }: News, placed: ReadonlySet<Listener>): void {
    for (const [listener, place] of this.#places) {
      if (place === null && !placed.has(listener)) continue
      const text =
        (place === null ? this.#beginning(listener) : this.#since(place)) + this.#runsFor(listener, place, runs)
      listener.resumesAt = null
      this.#places.set(listener, this.#seq)
      if (text !== '') listener.tell(text)
    }
  }

  /** Returns what a listener gets first: its place, and what it missed. */
  #beginning({ resumesAt: from }: Listener): string {
    const { seq, at, feed } = this.cursor
    const first = this.#kept[0]?.seq ?? seq + 1
    const isKept = from !== null && from.feed === feed && from.seq >= first - 1 && from.seq <= seq
    if (from === null) return placeText(idOf(this.cursor))
    if (!isKept || at - from.at > EVENT_LIMITS.resumeMs) return eventText('gap', idOf(this.cursor), {})
    return this.#since(from.seq) || placeText(idOf(this.cursor))
  }

  #since(place: number): string {
    const missed = this.#kept.filter(({ seq }) => seq > place)
    if (missed.length > EVENT_LIMITS.atOnce) return eventText('gap', idOf(this.cursor), {})
    return missed.map(({ text }) => text).join('')
  }

  #runsFor({ watched, resumesAt: from }: Listener, place: number | null, runs: News['runs']): string {
    const texts = runs.map(({ no, run_id, at, status, monitor_id, kind }) => {
      const last = watched.get(no)
      if (last === undefined || last === run_id) return ''
      watched.set(no, run_id)
      // The first look of a listener has what there was before it, too.
      if (place === null && Date.parse(at) <= (from?.at ?? this.cursor.at)) return ''
      const data = { run_id, at: new Date(at).toISOString(), monitor: { id: monitor_id, kind }, status }
      return eventText('run', idOf(this.cursor), data)
    })
    return texts.join('')
  }
}

function changeOf({ run_id, at, monitor_id: id, kind, fired, change }: News['changes'][number]): EventOf<'change'> {
  const { fields, more } = change ?? { fields: [], more: 0 }
  return {
    run_id,
    at: new Date(at).toISOString(),
    monitor: { id, kind },
    fields: fields.map(({ field }) => field),
    more,
    fired,
  }
}
