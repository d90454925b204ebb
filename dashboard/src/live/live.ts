import { ApiFault } from '../api/client.ts'
import { pause } from '../api/pause.ts'
import { EVENTS } from '../api/types.ts'
import { type LiveEvent, listen } from './event-stream.ts'
import { shareOf } from './share-of.ts'

/** A tab that nobody has looked at for so long lets the stream go. */
const HIDDEN_MS = 60_000
/** Before the stream is asked for again; longer each time, and longest where it is refused. */
const [FIRST_MS, LONGEST_MS, REFUSED_MS] = [1_000, 15_000, 60_000]
/** The ids that are watched are those on the screen, once somebody has stopped scrolling. */
const WATCH_MS = 3_000
/** Timers of hidden tabs may run once a minute. */
const GONE_MS = 120_000

interface LiveOptions {
  readonly team: string
  /** Returns the ids of the monitors on the screen. */
  watched(): readonly string[]
  onEvent(event: LiveEvent): void
  /** A stream begins or has ended. `goesOn`: it begins behind the last event, so that nothing is missing. */
  onLive(isLive: boolean, goesOn: boolean): void
  /**
   * From now on the stream tells of the runs of these monitors too. It may go on behind a run that ended before it
   * watched them.
   */
  onWatched(ids: readonly string[]): void
  /** The stream is refused: the session has ended, or acts for another team. */
  onRefused(status: number): void
}

type Message =
  | { readonly kind: 'event'; readonly event: LiveEvent; readonly id: string }
  | { readonly kind: 'live'; readonly isLive: boolean; readonly id: string; readonly watched: readonly string[] }
  | { readonly kind: 'watch'; readonly tab: string; readonly ids: readonly string[] }
  | { readonly kind: 'hello' }

/**
 * Keeps one stream of events for all tabs of the browser that show a team: a browser has few connections to a host. The
 * tab with a lock holds the stream, and passes events on. Where there are no locks, each tab has a stream.
 */
export class LiveTab {
  readonly #options: LiveOptions
  readonly #name: string
  readonly #tab = crypto.getRandomValues(new Uint32Array(2)).join('')
  readonly #channel: BroadcastChannel
  /** The ids that other tabs watch, and when they said so. */
  readonly #others = new Map<string, { readonly ids: readonly string[]; readonly at: number }>()
  readonly #watching: ReturnType<typeof setInterval>
  #lastId = ''
  #isLive = false
  /** The ids that the stream watches. */
  #shown: ReadonlySet<string> = new Set()
  /** Ends the stream that is under way, so that another one begins with other ids. */
  #leave: (() => void) | null = null
  /** Set while this tab holds the stream, or waits for the lock. */
  #holding: AbortController | null = null
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LiveOptions) {
    this.#options = options
    this.#name = `tidemark-live-${options.team}`
    this.#channel = new BroadcastChannel(this.#name)
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Message>) => this.#take(data))
    document.addEventListener('visibilitychange', this.#onVisible)
    this.#watching = setInterval(() => this.#watch(), WATCH_MS)
    this.#post({ kind: 'hello' })
    this.#hold()
    this.#onVisible()
  }

  stop(): void {
    this.#post({ kind: 'watch', tab: this.#tab, ids: [] })
    document.removeEventListener('visibilitychange', this.#onVisible)
    clearTimeout(this.#hiddenTimer)
    clearInterval(this.#watching)
    this.#letGo()
    this.#channel.close()
  }

  readonly #onVisible = (): void => {
    clearTimeout(this.#hiddenTimer)
    if (document.visibilityState === 'visible') this.#hold()
    else this.#hiddenTimer = setTimeout(() => this.#letGo(), HIDDEN_MS)
  }

  #post(message: Message): void {
    this.#channel.postMessage(message)
  }

  #take(message: Message): void {
    if (message.kind === 'watch') this.#others.set(message.tab, { ids: message.ids, at: performance.now() })
    if (message.kind === 'hello') {
      if (this.#leave !== null) this.#post({ kind: 'live', isLive: this.#isLive, id: this.#lastId, watched: [] })
      return
    }
    // A tab with a stream hears what there is by that.
    if (message.kind === 'watch' || this.#leave !== null) return
    this.#lastId = message.id
    if (message.kind === 'event') this.#options.onEvent(message.event)
    else {
      this.#options.onLive(message.isLive, message.id !== '')
      this.#options.onWatched(message.watched)
    }
  }

  #setLive(isLive: boolean, watched: readonly string[] = []): void {
    this.#isLive = isLive
    this.#options.onLive(isLive, this.#lastId !== '')
    this.#options.onWatched(watched)
    this.#post({ kind: 'live', isLive, id: this.#lastId, watched })
  }

  #ids(): readonly string[] {
    // A tab that was closed says nothing more.
    const since = performance.now() - GONE_MS
    for (const [tab, { at }] of this.#others) if (at < since) this.#others.delete(tab)
    const others = [...this.#others.values()].map(({ ids }) => ids)
    return shareOf([this.#options.watched(), ...others], EVENTS.watched)
  }

  #watch(): void {
    this.#post({ kind: 'watch', tab: this.#tab, ids: this.#options.watched() })
    // What nobody shows any more may be watched until another stream begins.
    if (this.#isLive && this.#ids().some((id) => !this.#shown.has(id))) this.#leave?.()
  }

  #hold(): void {
    if (this.#holding !== null) return
    const held = new AbortController()
    this.#holding = held
    const { locks } = navigator as { readonly locks?: LockManager }
    if (locks === undefined) void this.#streamOn(held.signal)
    else locks.request(this.#name, { signal: held.signal }, () => this.#streamOn(held.signal)).catch(() => null)
  }

  #letGo(): void {
    this.#holding?.abort()
    this.#holding = null
  }

  async #streamOn(signal: AbortSignal): Promise<void> {
    let pauseMs = FIRST_MS
    while (!signal.aborted) {
      const left = new AbortController()
      this.#leave = () => left.abort()
      const status = await this.#stream(AbortSignal.any([signal, left.signal]), (ms) => (pauseMs = ms))
      if (left.signal.aborted && !signal.aborted) continue
      this.#isLive = false
      if (signal.aborted) break
      this.#setLive(false)
      if (status === 401 || status === 409) this.#options.onRefused(status)
      await pause(status >= 400 ? REFUSED_MS : pauseMs, signal)
      pauseMs = Math.min(LONGEST_MS, 2 * pauseMs)
    }
    this.#leave = null
  }

  /** Returns the status of the refusal, or 0 when a stream has ended. */
  async #stream(signal: AbortSignal, onPause: (ms: number) => void): Promise<number> {
    const watch = this.#ids()
    const before = this.#shown
    this.#shown = new Set(watch)
    const heard = {
      watch,
      lastId: this.#lastId,
      signal,
      onOpen: () => {
        onPause(FIRST_MS)
        this.#setLive(
          true,
          watch.filter((id) => !before.has(id)),
        )
      },
      onId: (id: string) => void (this.#lastId = id),
      onRetry: onPause,
      onEvent: (event: LiveEvent) => {
        this.#options.onEvent(event)
        this.#post({ kind: 'event', event, id: this.#lastId })
      },
    }
    return listen(heard).then(
      () => 0,
      (error: unknown) => (error instanceof ApiFault ? error.status : 0),
    )
  }
}
