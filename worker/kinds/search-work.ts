import { engineActs } from '../../core/serp/ended-search.ts'
import { SEARCH_CHECK } from '../../runners/check/kinds/search-check.ts'
import type { SerpTask } from '../../runners/check/task.ts'
import { leftAlone } from '../../runners/serp/search-reading.ts'
import { claimSearches } from '../../store/queue/claim-search.ts'
import { CLAIMED_SEARCH, type ClaimedSearch } from '../../store/queue/claim.ts'
import { endSearches } from '../../store/queue/end-searches.ts'
import { freeExits, keepExits } from '../../store/queue/search-exits.ts'
import { knownOf } from '../queue/claimed.ts'
import { createSearchRecording } from '../record/search-run.ts'
import { searchOutcomeOf } from './search-outcome.ts'
import type { SearchClaims, WorkKind } from './work-kind.ts'

const NO_SEARCHES: SearchClaims = { exit: 'default', hasProvider: false }

/** Checks of searches. */
export const SEARCH_WORK: WorkKind<SerpTask, ClaimedSearch> = {
  ...SEARCH_CHECK,
  claimed: CLAIMED_SEARCH,
  queue: {
    name: 'serp',
    async claim({ store, leaseSeconds, search = NO_SEARCHES }, limit, { holder, exit, only = null, level }) {
      if (exit === null || only !== null) return []
      const { hasProvider } = search
      return claimSearches(store, { exit: exit ?? search.exit, limit, leaseSeconds, holder, hasProvider, level })
    },
  },
  taskOf(row, claiming) {
    const { search, refused_until_ms: refusedUntilMs = null } = row
    const about = { kind: 'serp', queue: 'serp', host: search.engine, search, refusedUntilMs, obstacle: null } as const
    return { ...knownOf(row, claiming), ...about }
  },
  // An engine is asked from the runner's own address alone.
  isProxied: false,
  outcomeOf: searchOutcomeOf,
  withoutRunner: ({ search, refusedUntilMs }) =>
    refusedUntilMs === null ? null : leftAlone(search.engine, refusedUntilMs),
  exits: {
    keep: keepExits,
    free: freeExits,
    async end(store, { task: { no, fence, search }, reading }, spacingMs) {
      if (reading.kind === 'search' || reading.kind === 'failed')
        await endSearches(store, [{ no, fence, engine: search.engine, ...engineActs(reading) }], spacingMs)
    },
  },
  settling: ({ recorder, search }) => ({
    async settle(given, context, signal) {
      const settled = search?.searches ? await search.searches.ended(given, context.teamId, signal) : given
      const { reading, ...ended } = settled
      if (reading.kind === 'moved' || reading.kind === 'text')
        throw new TypeError(`the check of a search cannot be ${reading.kind}`)
      await recorder.record({ ...ended, reading }, context)
      return true
    },
  }),
  recording: createSearchRecording,
}
