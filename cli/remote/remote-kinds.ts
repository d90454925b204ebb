import type { Monitor } from '../../schema/monitor/monitor.ts'
import type { Run } from '../../schema/run/run.ts'
import type { SerpMonitor } from '../../schema/serp/serp-monitor.ts'
import type { SearchKnown } from './change-words.ts'

/** The records of each kind of monitor, as the API shows them. */
interface Records {
  readonly page: Monitor
  readonly serp: SerpMonitor
}

/** A monitor of any kind, as the API shows it. */
export type RemoteRecord = {
  [Kind in keyof Records]: { readonly kind: Kind; readonly record: Records[Kind] }
}[keyof Records]

/** What the commands know of a kind of monitor. */
interface RemoteKind<Record> {
  /** Returns what it watches, in one line. */
  watches(record: Record): string
  /** It has the status `error`, by which its list can be filtered. */
  readonly hasErrorStatus: boolean
  /** Returns its predicate; null: the kind has none, so there is nothing to try. */
  predicate(record: Record): object | null
  /** Its first run differs from nothing: that is not a change. Each change is shown beside the run before. */
  readonly startsWithDifference: boolean
  /** Returns what its changes are shown with; `before` is the run with the results before. */
  shownWith(record: Record, before: Run): SearchKnown | null
}

const KINDS: { readonly [Kind in keyof Records]: RemoteKind<Records[Kind]> } = {
  page: {
    watches: ({ url }) => url,
    hasErrorStatus: true,
    predicate: ({ diff_predicate: predicate }) => predicate,
    startsWithDifference: false,
    shownWith: () => null,
  },
  serp: {
    watches: ({ engine, keyword }) => `${engine}: ${keyword}`,
    hasErrorStatus: false,
    predicate: () => null,
    startsWithDifference: true,
    shownWith: ({ keyword, target_domain: target }, before) => ({ keyword, target, before }),
  },
}

/** Returns what the commands know of the kind of a record. */
export const remoteKindOf = <Kind extends keyof Records>({
  kind,
}: {
  readonly kind: Kind
  readonly record: Records[Kind]
}): RemoteKind<Records[Kind]> => KINDS[kind]

/** The kinds that have the status `error`. */
export const KINDS_WITH_ERRORS: readonly string[] = Object.entries(KINDS).flatMap(([kind, { hasErrorStatus }]) =>
  hasErrorStatus ? [kind] : [],
)
