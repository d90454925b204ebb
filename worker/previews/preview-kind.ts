import type { PageTask, SerpTask } from '../../runners/check/task.ts'
import type { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { AskedAnswer, AskedKind, KnownOfTask } from '../queue/asked-kind.ts'
import { hostOf } from '../queue/host-of.ts'

/** What is asked for: a page or a search. */
export type PreviewRequest = PageRequest | { readonly search: SerpSearch }

type PageRequest = Pick<
  PageTask,
  'url' | 'extract' | 'request' | 'visual' | 'headers' | 'queue' | 'reason' | 'obstacle'
>

/** An answer as it is kept: of pictures it has whether there are any. */
export interface KeptAnswer {
  readonly reading: Omit<AskedAnswer['reading'], 'shots'> & {
    readonly shots?: readonly { readonly region: string; readonly isThere: boolean }[]
  }
  readonly durationMs: number
}

/** Previews of pages and of searches. They show no picture and no unread page, and compare with nothing. */
export const PREVIEW_KIND: AskedKind<PreviewRequest> = {
  taskOf: (asked, known) => ('search' in asked ? taskOfSearch(asked.search, known) : taskOfPage(asked, known)),
  keptOf({ reading, durationMs }) {
    const shots = 'shots' in reading && reading.shots
    const kept = {
      ...reading,
      ...(reading.kind === 'search' && { search: { ...reading.search, unread: undefined } }),
      ...(reading.kind === 'failed' && reading.engine && { engine: { ...reading.engine, unread: undefined } }),
      ...('mark' in reading && { mark: NO_MARK }),
      ...(shots && { shots: shots.map(({ region, png }) => ({ region, isThere: png !== null })) }),
    }
    return { reading: kept, durationMs }
  },
}

/** What the task of a preview has that the process makes which was asked. */
export const HERE = {
  no: 0,
  fence: 0,
  runId: '',
  monitorId: '',
  dueMs: null,
  claimedMs: 0,
  claimedAt: 0,
} satisfies KnownOfTask

export function taskOfSearch(search: SerpSearch, known: KnownOfTask): SerpTask {
  const about = { kind: 'serp', queue: 'serp', host: search.engine, search } as const
  return { ...known, ...about, refusedUntilMs: null, obstacle: null }
}

export function taskOfPage(page: PageRequest, known: KnownOfTask): PageTask {
  const about = { kind: 'page', host: hostOf(page.url), triesStatic: false, asksFetched: true, last: null } as const
  return { ...known, ...page, ...about }
}

/** Returns the answer that was kept. */
export function answerOf({ reading, durationMs }: KeptAnswer): AskedAnswer {
  const { shots, ...rest } = reading
  const shown = shots?.map(({ region, isThere }) => ({ region, width: 0, height: 0, png: isThere ? NO_BYTES : null }))
  return { reading: { ...rest, ...(shown && { shots: shown }) } as AskedAnswer['reading'], durationMs }
}

const NO_MARK = { etag: null, lastModified: null, bodyHash: null }
const NO_BYTES = new Uint8Array(0)
