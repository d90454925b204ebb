import { sleep } from '../../concurrency/loops/sleep.ts'
import { engineActs } from '../../core/serp/ended-search.ts'
import type { Reading } from '../../runners/check/reading.ts'
import { longestSearchMs } from '../../runners/serp/check-search.ts'
import type { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { AskedWork } from '../../store/asked/asked-work.ts'
import type { Store } from '../../store/db/client.ts'
import { endSearches } from '../../store/queue/end-searches.ts'
import type { Held } from '../../store/queue/lease.ts'
import { freeExits, takeExit } from '../../store/queue/search-exits.ts'

/** What a search gives that somebody waits for. */
type SearchRead = Extract<Reading, { kind: 'search' | 'failed' }>

export interface SearchingHere {
  /** The name of the address that the searches come from. */
  readonly exit: string
  readonly spacingMs: number
  /** Makes the search. Null: the process is stopping. */
  read(search: SerpSearch, work: AskedWork): Promise<SearchRead | null>
}

type SearchedHere =
  | { readonly kind: 'answered'; readonly reading: SearchRead }
  /** The engine is left alone until this time. */
  | { readonly kind: 'left_alone'; readonly untilMs: number }
  /** Other searches of the engine did not end in time. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'stopping' }

/** How long a search waits for its turn at the engine: the requester waits too. */
const TURN_MS = 15_000
/** The exit of a process that was killed during a search is free so long after the longest time of the search. */
const SLACK_SECONDS = 10

/** Makes a search in this process, when its turn at the engine and exit has come. It takes the exit as a check does. */
export async function searchHere(
  { exit, spacingMs, read }: SearchingHere,
  search: SerpSearch,
  { work, store }: { readonly work: AskedWork; readonly store: Store },
): Promise<SearchedHere> {
  // No runner can have it, so its fence has not risen.
  const held: Held = { no: work.no, fence: 0 }
  const seconds = longestSearchMs(search.pages) / 1000 + SLACK_SECONDS
  const taken = await turnAt(store, { held, engine: search.engine, exit, seconds })
  if (taken.kind !== 'taken') return taken
  let reading: SearchRead | null = null
  try {
    reading = await read(search, work)
    return reading === null ? { kind: 'stopping' } : { kind: 'answered', reading }
  } finally {
    // Where nothing was read, nothing is known of the engine.
    if (reading === null) await freeExits(store, [held], spacingMs)
    else await endSearches(store, [{ ...held, engine: search.engine, ...engineActs(reading) }], spacingMs)
  }
}

async function turnAt(store: Store, wanted: Parameters<typeof takeExit>[1]): ReturnType<typeof takeExit> {
  const until = performance.now() + TURN_MS
  for (;;) {
    const taken = await takeExit(store, wanted)
    if (taken.kind !== 'busy' || performance.now() > until) return taken
    await sleep(250)
  }
}
