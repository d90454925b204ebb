import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { STATUS_LIMITS } from '../../schema/status/status-limits.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { changesOfPages, fillPages, findPublicPages, type FoundStatusPage } from '../../store/status/public-pages.ts'
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
export type StatusBounds = Readonly<Partial<Record<'freshMs' | 'renewMs' | 'roundMs', number>>>

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

/** Somebody waits for a part of a page. */
interface Asked {
  readonly slug: string
  readonly part: StatusPart
  readonly found: PromiseWithResolvers<StatusFile | null>
}

/**
 * Status pages as everybody sees them. However many look, the store is read once in `roundMs` at most, by three
 * statements for all pages that were asked for since. A page is sent from memory for `freshMs`. One that is older than
 * `renewMs` is read again behind the request, so nobody waits for a page that many look at.
 */
export class StatusPages {
  readonly #options: StatusPagesOptions
  readonly #limits: Readonly<Record<'freshMs' | 'renewMs' | 'roundMs', number>>
  readonly #now: () => number
  readonly #kept = new LRUCache<string, Kept>({
    max: STATUS_LIMITS.keptPages,
    maxSize: STATUS_LIMITS.keptBytes,
    sizeCalculation: ({ file }) => file.content.byteLength + file.compressed.byteLength,
  })
  #asked = new Map<string, Asked>()
  /** What the round under way reads, as long as it may be shown to those who come now. */
  #reading: ReadonlyMap<string, Asked> = new Map()
  #isReading = false
  #beganAt = Number.NEGATIVE_INFINITY

  constructor(options: StatusPagesOptions) {
    this.#options = options
    this.#limits = { ...STATUS_LIMITS, ...options.bounds }
    this.#now = options.now ?? (() => performance.now())
  }

  /** Returns what everybody sees under a slug. Null: there is nothing. `busy`: too many other addresses wait. */
  find(slug: string, part: StatusPart): Promise<StatusFile | null> | 'busy' {
    const key = `${part} ${slug}`
    const kept = this.#kept.get(key)
    const age = kept ? this.#now() - kept.readAt : Number.POSITIVE_INFINITY
    if (kept && age < this.#limits.renewMs) return Promise.resolve(kept.file)
    const asked = this.#reading.get(key) ?? this.#asked.get(key) ?? this.#ask(key, { slug, part })
    if (kept && age < this.#limits.freshMs) return Promise.resolve(kept.file)
    return asked ? asked.found.promise : 'busy'
  }

  /** To be called after this process has changed a status page: the next request reads it again. */
  forget(): void {
    this.#kept.clear()
    this.#reading = new Map()
  }

  #ask(key: string, { slug, part }: Pick<Asked, 'slug' | 'part'>): Asked | null {
    if (this.#asked.size >= STATUS_LIMITS.waiting) return null
    const asked = { slug, part, found: Promise.withResolvers<StatusFile | null>() }
    // Where the page is renewed nobody waits. The log has what failed.
    asked.found.promise.catch(() => {})
    this.#asked.set(key, asked)
    if (!this.#isReading && this.#asked.size === 1) this.#plan()
    return asked
  }

  /** Reads when a round may begin again. */
  #plan(): void {
    const wait = this.#beganAt + this.#limits.roundMs - this.#now()
    if (wait <= 0) return void this.#read()
    setTimeout(() => void this.#read(), wait)
  }

  async #read(): Promise<void> {
    this.#isReading = true
    this.#beganAt = this.#now()
    const asked = this.#asked
    this.#asked = new Map()
    this.#reading = asked
    try {
      await this.#answer(asked)
    } catch (error) {
      const { log } = this.#options
      if (!storeOutage(log).covers(error, 'status pages')) log.warn({ err: error }, 'status pages could not be read')
      for (const { found } of asked.values()) found.reject(error)
    }
    this.#isReading = false
    this.#reading = new Map()
    if (this.#asked.size > 0) this.#plan()
  }

  async #answer(asked: ReadonlyMap<string, Asked>): Promise<void> {
    const { store, baseUrl } = this.#options
    const pages = await findPublicPages(store, [...new Set(Array.from(asked.values(), ({ slug }) => slug))])
    const filled = new Map(
      (await fillPages(store, pages.slice(0, STATUS_LIMITS.perRound))).map((page) => [page.slug, page]),
    )
    const feeds = [...filled.values()].filter(({ slug }) => asked.has(`feed ${slug}`))
    const changes = Map.groupBy(await changesOfPages(store, feeds), ({ page_id }) => page_id)
    const later = new Set(pages.slice(STATUS_LIMITS.perRound).map(({ slug }) => slug))
    for (const [key, one] of asked) {
      const page = filled.get(one.slug)
      if (later.has(one.slug)) this.#askAgain(key, one)
      else if (!page) this.#end(key, one)
      else {
        const file =
          one.part === 'page' ? pageFile(page) : feedFile(page, statusFeed(page, changes.get(page.id) ?? [], baseUrl))
        if (this.#reading === asked) this.#kept.set(key, { file, readAt: this.#beganAt })
        one.found.resolve(file)
      }
    }
  }

  #end(key: string, { found }: Asked): void {
    this.#kept.delete(key)
    found.resolve(null)
  }

  /** A page that the round had no room for comes with the next one. */
  #askAgain(key: string, one: Asked): void {
    const other = this.#asked.get(key)
    if (other) void other.found.promise.then(one.found.resolve, one.found.reject)
    else this.#asked.set(key, one)
  }
}

const pageFile = (page: FoundStatusPage) => fileOf('text/html; charset=utf-8', statusHtml(page), page)
const feedFile = (page: FoundStatusPage, xml: string) => fileOf('application/rss+xml; charset=utf-8', xml, page)

function fileOf(type: string, text: string, { indexed }: FoundStatusPage): StatusFile {
  const content = Buffer.from(text)
  const etag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  return { type, content, compressed: gzipSync(content), etag, isIndexed: indexed }
}
