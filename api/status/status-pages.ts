import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { STATUS_LIMITS } from '../../schema/status/status-limits.ts'
import type { Store } from '../../store/db/client.ts'
import { isCancelled, isOutage, storeOutage } from '../../store/db/store-fault.ts'
import {
  changesOfPages,
  fillPages,
  findPublicPages,
  type FoundStatusPage,
  type PublicChange,
  type PublicPage,
} from '../../store/status/public-pages.ts'
import type { KeptFile } from '../http/kept-file.ts'
import { statusFeed } from './status-feed.ts'
import { statusHtml } from './status-html.ts'

/** What is asked for of a status page. */
export type StatusPart = 'page' | 'feed'

/** A page or a feed as it is sent. */
interface StatusFile extends KeptFile {
  /** Search engines may list it. */
  readonly isIndexed: boolean
}

/** Those of the limits that tests change. */
export type StatusBounds = Readonly<Partial<Record<Bounded, number>>>
type Bounded = 'freshMs' | 'renewMs' | 'roundMs' | 'waitMs' | 'perRound'

/** What somebody who asks gets. Null: there is nothing. `busy`: it was not read in time, or cannot be read now. */
type Found = StatusFile | null | 'busy'

interface StatusPagesOptions {
  readonly store: Store
  readonly log: FastifyBaseLogger
  readonly baseUrl: string
  readonly bounds: StatusBounds
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number
}

interface Kept {
  readonly file: StatusFile
  readonly readAt: number
}

/** A part of a page that the next round reads. */
interface Asked {
  readonly slug: string
  readonly part: StatusPart
  readonly found: PromiseWithResolvers<Found>
  /** Somebody waits for it. Otherwise it is renewed behind a request. */
  isAwaited: boolean
}

/**
 * Status pages as everybody sees them. However many look, the store is read once in `roundMs` at most, by three
 * statements for all pages that were asked for since. A page is sent from memory for `freshMs`. One that is older than
 * `renewMs` is read again behind the request, so nobody waits for a page that many look at.
 */
export class StatusPages {
  readonly #options: StatusPagesOptions
  readonly #limits: Readonly<Record<Bounded, number>>
  readonly #now: () => number
  readonly #kept = new LRUCache<string, Kept>({
    max: STATUS_LIMITS.keptPages,
    maxSize: STATUS_LIMITS.keptBytes,
    sizeCalculation: ({ file }) => file.content.byteLength + file.compressed.byteLength,
  })
  #asked = new Map<string, Asked>()
  /** What the round under way reads, as long as it may be shown to those who come now. */
  #reading = new Map<string, Asked>()
  #isReading = false
  #beganAt = Number.NEGATIVE_INFINITY
  /** Pages that could not be read, and until when they are left out. */
  readonly #heldBack = new LRUCache<string, number>({ max: STATUS_LIMITS.keptPages })
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: StatusPagesOptions) {
    this.#options = options
    this.#limits = { ...STATUS_LIMITS, ...options.bounds }
    this.#now = options.now ?? (() => performance.now())
  }

  /** Returns what everybody sees under a slug. `busy` also where too many other addresses wait. */
  find(slug: string, part: StatusPart): Promise<Found> | 'busy' {
    if (this.#isClosed) return 'busy'
    const key = keyOf(slug, part)
    const kept = this.#kept.get(key)
    const age = kept ? this.#now() - kept.readAt : Number.POSITIVE_INFINITY
    if (kept && age < this.#limits.renewMs) return Promise.resolve(kept.file)
    const asked = this.#reading.get(key) ?? this.#asked.get(key) ?? this.#ask(key, { slug, part })
    if (kept && age < this.#limits.freshMs) return Promise.resolve(kept.file)
    if (!asked) return 'busy'
    asked.isAwaited = true
    return asked.found.promise
  }

  /** To be called after this process has changed the page of a slug: the next request reads it again. */
  forget(slug: string): void {
    for (const key of [keyOf(slug, 'page'), keyOf(slug, 'feed')]) {
      this.#kept.delete(key)
      this.#reading.delete(key)
    }
    this.#heldBack.delete(slug)
  }

  /** Begins no round any more. Those who wait get `busy`. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const { found } of [...this.#asked.values(), ...this.#reading.values()]) found.resolve('busy')
    this.#asked.clear()
  }

  #ask(key: string, { slug, part }: Pick<Asked, 'slug' | 'part'>): Asked | null {
    if (this.#asked.size >= STATUS_LIMITS.waiting) return null
    const asked = { slug, part, found: Promise.withResolvers<Found>(), isAwaited: false }
    const late = setTimeout(() => asked.found.resolve('busy'), this.#limits.waitMs).unref()
    // Where the page is renewed nobody waits. The log has what failed.
    void asked.found.promise.catch(() => {}).finally(() => clearTimeout(late))
    this.#asked.set(key, asked)
    if (!this.#isReading && this.#asked.size === 1) this.#plan()
    return asked
  }

  /** Reads when a round may begin again. */
  #plan(): void {
    if (this.#isClosed) return
    const wait = this.#beganAt + this.#limits.roundMs - this.#now()
    if (wait <= 0) return void this.#read()
    this.#timer = setTimeout(() => void this.#read(), wait).unref()
  }

  async #read(): Promise<void> {
    this.#isReading = true
    this.#beganAt = this.#now()
    const asked = [...this.#asked]
    this.#asked = new Map()
    this.#reading = new Map(asked)
    try {
      await this.#answer(asked)
    } catch (error) {
      this.#tell(error)
      for (const [, { found }] of asked) found.reject(error)
    }
    this.#isReading = false
    this.#reading = new Map()
    if (this.#asked.size > 0) this.#plan()
  }

  async #answer(asked: readonly (readonly [string, Asked])[]): Promise<void> {
    const { store } = this.#options
    const turns = slugsInTurn(asked.map(([, one]) => one))
    const pages = new Map((await findPublicPages(store, turns)).map((page) => [page.slug, page]))
    const inTurn = turns.flatMap((slug) => pages.get(slug) ?? []).filter(({ slug }) => !this.#isHeldBack(slug))
    const now = inTurn.slice(0, this.#limits.perRound)
    const later = new Set(inTurn.slice(this.#limits.perRound).map(({ slug }) => slug))
    const feeds = new Set(asked.flatMap(([, { slug, part }]) => (part === 'feed' ? [slug] : [])))
    for await (const filled of this.#filled(now, feeds))
      for (const [key, one] of asked) if (one.slug === filled.page.slug) this.#show(key, one, filled)
    for (const [key, one] of asked) {
      if (!pages.has(one.slug)) this.#end(key, one)
      // Without an effect where it was shown.
      else if (!later.has(one.slug)) this.#settle(key, one, 'busy')
    }
    this.#postpone(asked.filter(([, { slug }]) => later.has(slug)))
  }

  /**
   * Reads what the pages show, all together. Where that fails, it reads each by itself, so that one cannot fail the
   * others. A page that failed before comes after them.
   */
  async *#filled(pages: readonly PublicPage[], feeds: ReadonlySet<string>): AsyncGenerator<Filled> {
    const others = pages.filter(({ slug }) => !this.#heldBack.has(slug))
    const alone = pages.filter(({ slug }) => this.#heldBack.has(slug))
    try {
      yield* await filledPages(this.#options.store, others, feeds)
    } catch (error) {
      if (isOutage(error) && !isCancelled(error)) throw error
      alone.unshift(...others)
    }
    for (const page of alone) {
      try {
        yield* await filledPages(this.#options.store, [page], feeds)
        this.#heldBack.delete(page.slug)
      } catch (error) {
        this.#tell(error)
        this.#heldBack.set(page.slug, this.#now() + STATUS_LIMITS.heldBackMs)
      }
    }
  }

  /** Makes what is sent of a page that was read. */
  #show(key: string, one: Asked, { page, changes }: Filled): void {
    try {
      const { baseUrl } = this.#options
      const file = one.part === 'page' ? pageFile(page) : feedFile(page, statusFeed(page, changes, baseUrl))
      if (this.#reading.get(key) === one) this.#kept.set(key, { file, readAt: this.#beganAt })
      this.#settle(key, one, file)
    } catch (error) {
      this.#tell(error)
      one.found.reject(error)
    }
  }

  #isHeldBack(slug: string): boolean {
    return (this.#heldBack.get(slug) ?? Number.NEGATIVE_INFINITY) > this.#now()
  }

  #tell(error: unknown): void {
    const { log } = this.#options
    if (!storeOutage(log).covers(error, 'status pages')) log.warn({ err: error }, 'status pages could not be read')
  }

  #end(key: string, one: Asked): void {
    this.#kept.delete(key)
    this.#settle(key, one, null)
  }

  /** Who asks after that does not get what was read before. */
  #settle(key: string, one: Asked, found: Found): void {
    if (this.#reading.get(key) === one) this.#reading.delete(key)
    one.found.resolve(found)
  }

  /** Pages that the round had no room for come with the next one, before those that were asked for since. */
  #postpone(postponed: readonly (readonly [string, Asked])[]): void {
    const since = this.#asked
    this.#asked = new Map(postponed)
    for (const [key, one] of since) {
      const before = this.#asked.get(key)
      if (!before) this.#asked.set(key, one)
      else {
        before.isAwaited ||= one.isAwaited
        void before.found.promise.then(one.found.resolve, one.found.reject)
      }
    }
  }
}

const keyOf = (slug: string, part: StatusPart): string => `${part} ${slug}`

/** Returns the slugs in the order in which they are read: those that somebody waits for come before renewals. */
function slugsInTurn(asked: readonly Asked[]): readonly string[] {
  const inTurn = [...asked.filter((one) => one.isAwaited), ...asked.filter((one) => !one.isAwaited)]
  return [...new Set(inTurn.map(({ slug }) => slug))]
}

/** A page that was read, with its changes where its feed was asked for. */
interface Filled {
  readonly page: FoundStatusPage
  readonly changes: readonly PublicChange[]
}

async function filledPages(
  store: Store,
  pages: readonly PublicPage[],
  feeds: ReadonlySet<string>,
): Promise<readonly Filled[]> {
  const filled = await fillPages(store, pages)
  const found = await changesOfPages(
    store,
    filled.filter(({ slug }) => feeds.has(slug)),
  )
  const changes = Map.groupBy(found, ({ page_id }) => page_id)
  return filled.map((page) => ({ page, changes: changes.get(page.id) ?? [] }))
}

const pageFile = (page: FoundStatusPage) => fileOf('text/html; charset=utf-8', statusHtml(page), page)
const feedFile = (page: FoundStatusPage, xml: string) => fileOf('application/rss+xml; charset=utf-8', xml, page)

function fileOf(type: string, text: string, { indexed }: FoundStatusPage): StatusFile {
  const content = Buffer.from(text)
  const etag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  return { type, content, compressed: gzipSync(content), etag, isIndexed: indexed }
}
