import { gzipSync } from 'node:zlib'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { UNTOLD } from '../../core/serp/ended-search.ts'
import { searchUrl } from '../../core/serp/search-url.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { MAX_MARKER, type SearchReading } from '../../schema/serp/search-reading.ts'
import type { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { Browsers } from '../browser/browsers.ts'
import type { PageSession } from '../browser/page/page-session.ts'
import type { Extractor } from '../extract/pool/extractor.ts'
import { fromEndpoint, toEndpoint, type SerpEndpoints } from './endpoints.ts'
import { ENGINES } from './engines.ts'
import { mergePages } from './merge-pages.ts'
import type { PageReport, Seen, SearchFound, SearchFailed, SearchChecked } from './search-checked.ts'
import { CUT, type Failure, failureOf, faultOf, GUESS, NO_BUTTON, ofSearch } from './search-faults.ts'
import { searchPageReader } from './search-page-reader.ts'
import type { NextPage, SearchPage } from './search-page.ts'

export interface SearchPorts {
  readonly browsers: Pick<Browsers, 'visit'>
  readonly extractor: Pick<Extractor, 'read'>
  readonly endpoints: SerpEndpoints
  /** The country that this process comes from, in lower case. Absent or null: not known. */
  readonly country?: string | null
  readonly signal: AbortSignal
  /** The shortest and the longest wait before a later page, in milliseconds. Default 2,000 to 6,000. */
  readonly between?: readonly [shortest: number, longest: number]
  /** An opaque key of the team, for name lookups. */
  readonly team?: string
  /** The run, for the log. */
  readonly runId?: string | undefined
}

const BETWEEN = [2_000, 6_000] as const
const PAGE_MS = 45_000
/** Returns the longest time that a check of a search takes, in milliseconds. */
export const longestSearchMs = (pages: number): number => PAGE_MS * (pages + 1)
/** Between two looks whether the answer to a question for consent has led elsewhere. */
const UNDER_WAY_MS = 250

/** Runs one check of a search in a browser. Never rejects because of an engine's behaviour. */
export async function checkSearch(search: SerpSearch, ports: SearchPorts): Promise<SearchChecked> {
  const url = searchUrl(search)
  const visited = await ports.browsers.visit(
    {
      url: toEndpoint(url, search.engine, ports.endpoints),
      device: { kind: search.device, country: search.location_code, language: search.language_code },
      team: ports.team,
    },
    { signal: ports.signal, deadlineMs: longestSearchMs(search.pages) },
    (session) => new SearchSession(search, session, ports).run(),
  )
  if ('pages' in visited) return visited
  const fault = ofSearch(visited.fault, search)
  return { ok: false, url, pages: [], fault, engine: { outcome: 'failed', ...said(search, ports, []) } }
}

/** One page that was loaded and read. */
interface LoadedPage {
  readonly ok: true
  readonly page: SearchPage
  readonly body: Uint8Array
  readonly url: string
}
type Loaded = LoadedPage | { readonly ok: false; readonly fault: RunFault }

/** The questions of one check, in one session of the browser. */
class SearchSession {
  readonly #search: SerpSearch
  readonly #session: PageSession
  readonly #ports: SearchPorts
  readonly #reports: PageReport[] = []
  readonly #url: string

  constructor(search: SerpSearch, session: PageSession, ports: SearchPorts) {
    this.#search = search
    this.#session = session
    this.#ports = ports
    this.#url = searchUrl(search)
  }

  async run(): Promise<SearchChecked> {
    const first = await this.#firstPage()
    if (!first.ok) return this.#failed('failed', ofSearch(first.fault, this.#search))
    const { page } = first
    if (page.outcome === 'ok') return this.#withLaterPages(first)
    if (page.outcome === 'zero') return this.#results([page], { isEnd: true, cutBy: null })
    const outcome = failureOf(page)
    return this.#failed(outcome, faultOf(outcome, this.#search, page), outcome === 'unparsed' ? first.body : null)
  }

  /** Returns the first page, after the engine's question for consent and after what may be tried once more. */
  async #firstPage(): Promise<Loaded> {
    let loaded = await this.#open(this.#url)
    if (loaded.ok && (loaded.page.outcome === 'consent' || (await this.#asksOnTop()))) {
      loaded = await this.#consent()
    }
    if (loaded.ok && loaded.page.outcome === 'shell') loaded = await this.#open(this.#url)
    if (loaded.ok && loaded.page.outcome === 'zero_suspect') loaded = await this.#confirmZero()
    return loaded
  }

  async #asksOnTop(): Promise<boolean> {
    const { refuse } = ENGINES[this.#search.engine].consent
    return refuse.length > 0 && (await this.#exists(refuse.join(', '))) === true
  }

  /** Refuses what the engine asks for, or accepts it where nothing else is offered, and asks again. */
  async #consent(): Promise<Loaded> {
    const { refuse, accept } = ENGINES[this.#search.engine].consent
    await this.#keepFormsHere()
    for (const selector of [...refuse, ...accept]) {
      if ((await this.#exists(selector)) !== true) continue
      const pressed = await this.#session.press(selector)
      if (pressed === null) continue
      const loaded = await this.#read(pressed)
      return loaded.ok && loaded.page.outcome === 'ok' ? loaded : this.#openAfterAnswer(selector)
    }
    return this.#open(this.#url)
  }

  /** Returns whether the page has such an element; undefined while it has no document that can be asked. */
  #exists(selector: string): Promise<unknown> {
    return this.#session.ask(`document.querySelector(${JSON.stringify(selector)}) !== null`)
  }

  /** The form of the answer may be under way. Opening the search in this time would end it before its cookie is set. */
  async #openAfterAnswer(pressed: string): Promise<Loaded> {
    for (let left = 20; left > 0 && (await this.#exists(pressed)) !== false; left -= 1) await sleep(UNDER_WAY_MS)
    const loaded = await this.#open(this.#url)
    return loaded.ok ? loaded : this.#open(this.#url)
  }

  /** Forms of a question for consent go to another host, which belongs to the engine's endpoint. */
  async #keepFormsHere(): Promise<void> {
    const origin = this.#ports.endpoints[this.#search.engine]
    if (origin === undefined) return
    const actions = await this.#session.ask('[...document.forms].map((form) => form.action)')
    if (!Array.isArray(actions)) return
    const here = actions.map((action) => toEndpoint(String(action), this.#search.engine, this.#ports.endpoints))
    const set = '(action, at) => { const form = document.forms[at]; if (form) form.action = action }'
    await this.#session.ask(`${JSON.stringify(here)}.forEach(${set})`)
  }

  /**
   * An engine may answer a client that it suspects as if nothing had been found. So the search is repeated, and then
   * one that always finds something is asked.
   */
  async #confirmZero(): Promise<Loaded> {
    await this.#wait()
    const again = await this.#open(this.#url)
    if (!again.ok || again.page.outcome !== 'zero_suspect') return again
    return this.#control(again)
  }

  /** Returns a page without results as what it is: an empty one when a search for something common finds something. */
  async #control(empty: LoadedPage): Promise<Loaded> {
    await this.#wait()
    const control = await this.#open(searchUrl({ ...this.#search, keyword: CONTROL }))
    if (!control.ok) return control
    const isTrue = control.page.outcome === 'ok'
    const marker = isTrue ? 'confirmed by another search' : 'nothing is found for anything'
    return { ...empty, page: { ...empty.page, outcome: isTrue ? 'zero' : 'blocked', marker } }
  }

  async #withLaterPages(first: LoadedPage): Promise<SearchChecked> {
    const pages = [first.page]
    let last = first
    let { isLast } = first.page
    while (pages.length < this.#search.pages && last.page.next !== null) {
      const { next }: { readonly next: NextPage } = { next: last.page.next }
      await this.#wait()
      const loaded = await this.#laterPage(next, last.url)
      if (!loaded.ok) return this.#results(pages, { isEnd: false, cutBy: 'failed' })
      const { outcome } = loaded.page
      if (outcome === 'zero') return this.#results(pages, { isEnd: true, cutBy: null })
      if (outcome !== 'ok') {
        const cutBy = failureOf(loaded.page)
        return this.#results(pages, { isEnd: false, cutBy, unread: cutBy === 'unparsed' ? loaded.body : null })
      }
      const before = mergePages(pages).results.length
      pages.push(loaded.page)
      // A button stays where a list has ended.
      if (next.kind === 'button' && mergePages(pages).results.length === before)
        return this.#results(pages.slice(0, -1), { isEnd: true, cutBy: null })
      // And a button that existed and is gone has nothing more to add.
      isLast = loaded.page.isLast || (next.kind === 'button' && loaded.page.next === null)
      last = loaded
    }
    if (isLast || last.page.next !== null || pages.length === this.#search.pages)
      return this.#results(pages, { isEnd: isLast, cutBy: null })
    const report = this.#reports.pop()
    if (report) this.#reports.push({ ...report, marker: `${report.marker}, and no known way to the next page` })
    return this.#results(pages, { isEnd: false, cutBy: 'unparsed', unread: last.body })
  }

  /** Returns a later page, after what may be tried once more. */
  async #laterPage(next: NextPage, referer: string): Promise<Loaded> {
    const loaded = await this.#follow(next, referer)
    if (!loaded.ok) return loaded
    if (loaded.page.outcome === 'shell' && next.kind === 'link') {
      await this.#wait()
      return this.#open(next.url, referer)
    }
    return loaded.page.outcome === 'zero_suspect' ? this.#control(loaded) : loaded
  }

  async #follow(next: NextPage, referer: string): Promise<Loaded> {
    if (next.kind === 'link') return this.#open(next.url, referer)
    const pressed = await this.#session.press(next.selector)
    return pressed === null ? { ok: false, fault: NO_BUTTON } : this.#read(pressed)
  }

  async #open(url: string, referer?: string): Promise<Loaded> {
    const there = (address: string) => toEndpoint(address, this.#search.engine, this.#ports.endpoints)
    return this.#read(await this.#session.open(there(url), referer === undefined ? undefined : there(referer)))
  }

  async #read(opened: Awaited<ReturnType<PageSession['open']>>): Promise<Loaded> {
    if (!opened.ok) return { ok: false, fault: opened.fault }
    const { engine, device } = this.#search
    const url = fromEndpoint(opened.url, this.#url, this.#ports.endpoints[engine])
    const sent = { engine, device, url, status: opened.status }
    const bytes = opened.body.length
    // A copy, because the body may be moved to a thread.
    const body = { body: Buffer.from(opened.body), contentType: 'text/html; charset=utf-8', url }
    const { signal, runId } = this.#ports
    const read = await this.#ports.extractor.read(searchPageReader(sent), body, { signal, runId })
    if (!read.ok) return { ok: false, fault: read.fault }
    const { outcome, marker, table, dropped } = read.read
    this.#reports.push({ outcome, marker, url, status: opened.status, bytes, table, dropped })
    return { ok: true, page: read.read, body: opened.body, url }
  }

  async #wait(): Promise<void> {
    const [shortest, longest] = this.#ports.between ?? BETWEEN
    await sleep(shortest + Math.random() * (longest - shortest), this.#ports.signal)
  }

  #results(
    pages: readonly SearchPage[],
    end: { readonly isEnd: boolean; readonly cutBy: Failure | null; readonly unread?: Uint8Array | null },
  ): SearchFound {
    const { results, pageEnds } = mergePages(pages)
    const isGuess = pages.some(({ isStructural }) => isStructural)
    const search: SearchReading = {
      outcome: results.length > 0 ? 'ok' : 'zero',
      results,
      page_ends: pageEnds,
      is_end: end.isEnd,
      is_guess: isGuess,
      ...(pages[0]?.shown ?? UNTOLD),
      cut_by: end.cutBy,
      ...this.#said(end.unread),
      warnings: [...(isGuess ? [GUESS] : []), ...(end.cutBy === null ? [] : [CUT[end.cutBy]])],
    }
    return { ok: true, ...this.#seen, search }
  }

  #failed(outcome: Failure, fault: RunFault, unread: Uint8Array | null = null): SearchFailed {
    return { ok: false, ...this.#seen, fault, engine: { outcome, ...this.#said(unread) } }
  }

  get #seen(): Seen {
    return { url: this.#url, pages: this.#reports }
  }

  #said(unread: Uint8Array | null = null) {
    return { ...said(this.#search, this.#ports, this.#reports), ...(unread && { unread: packed(unread) }) }
  }
}

/** Returns what is said of every check. Results follow the country that it comes from more than what is asked for. */
const said = (
  { location_code: wanted }: SerpSearch,
  { country = null }: SearchPorts,
  reports: readonly PageReport[],
): Pick<SearchReading, 'country' | 'marker'> => ({
  country: country === wanted.toLowerCase() ? 'exact' : 'approximate',
  marker: (reports.at(-1)?.marker ?? '').slice(0, MAX_MARKER),
})

const packed = (page: Uint8Array): string => gzipSync(page).toString('base64')

/** A word for which every engine finds something. */
const CONTROL = 'weather'
