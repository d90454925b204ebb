import Type, { type Static } from 'typebox'
import { LookSeen } from './monitor/look.ts'
import { RUN_FAULTS, type RunFaultCode } from './run/run-fault.ts'
import { FETCH_METHODS, FETCH_REASONS } from './run/run.ts'
import { SearchFailure, SearchReading } from './serp/search-reading.ts'
import { SerpSearch } from './serp/serp-search.ts'
import { Choice, Closed, Nullable, Tagged, Text, Whole } from './shape/shape.ts'

/**
 * The messages between a runner and a worker over HTTP (docs/browser.md, Runners): paths under /runner, each with POST,
 * and CONNECT for the proxy. Runners are untrusted. A runner names its check by number and fence; the worker reads the
 * check, its owner and its configuration from the store.
 */

/**
 * The version of these messages, which each request names in a header. Properties that a side may ignore are added
 * without a new one. A worker refuses a version that it does not speak, in words.
 */
export const RUNNER_API_VERSION = 1
export const RUNNER_API_HEADER = 'tidemark-runner-api'
/** A runner whose browsers do not have their own sandbox says `off`. A worker of an earlier release ignores it. */
export const SANDBOX_HEADER = 'tidemark-browser-sandbox'
/** The versions that a worker speaks. Runners of the release before go on during an upgrade. */
export const SPOKEN_VERSIONS: readonly number[] = [RUNNER_API_VERSION]

/**
 * Content type of the body of /runner/complete. The body consists of four bytes, big-endian, with the length of the
 * JSON; the JSON, a `RunnerOutcome`; and the pictures, one after the other.
 */
export const OUTCOME_TYPE = 'application/vnd.tidemark.outcome'
/** Largest size of that JSON in bytes. Values and text each have their own, much lower limit. */
export const OUTCOME_HEAD_BYTES = 2 * 1024 * 1024
/** Largest size of one picture, and of all pictures of one check, in bytes. */
const OUTCOME_PICTURE_BYTES = 15 * 1024 * 1024
export const OUTCOME_PICTURES_BYTES = 64 * 1024 * 1024

const MAX_PICTURES = 20
/** Largest size of the readable text of a page, in characters. A runner cuts it at as many bytes. */
const OUTCOME_PAGE_TEXT = 256 * 1024

const CHECK = { no: Whole(1, 2 ** 40 - 1), fence: Whole(1, 2 ** 31 - 1) }
/** The name of an address that searches come from, as in `TIDEMARK_EXIT_NAME`. */
const ExitName = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' })
const Checks = Type.Array(Closed(CHECK), { maxItems: 1000 })

/**
 * With `exit`, searches are claimed too: the name of the address that the runner's searches come from. `level` is that
 * of the runner (`WORK_LEVEL`). Absent: 1.
 */
export const RunnerClaim = Closed({
  limit: Whole(1, 100),
  exit: Type.Optional(ExitName),
  level: Type.Optional(Whole(1, 32_767)),
})
export const RunnerHeartbeat = Closed({ checks: Checks })
/** Asks for another token in place of the one that the request has. */
export const RunnerExchange = Closed({})
export const RunnerRelease = Closed({ checks: Checks, delay_ms: Whole(0, 60_000) })

/** Asks for proxy bytes of the check's team, and gives back what was not used. */
export const RunnerProxy = Closed({ ...CHECK })
/** The reasons why a check is not tried through the proxy. `none`: the installation has no proxy. */
export const NO_PROXY = ['off', 'not_in_plan', 'used_up', 'none'] as const
/** The header of a CONNECT that names the check: its number and its fence. */
export const RELAY_CHECK = 'tidemark-check'

const Mark = Closed({
  etag: Nullable(Text(0, 16_384)),
  last_modified: Nullable(Text(0, 16_384)),
  /** Sixteen bytes, as hexadecimal digits. */
  body_hash: Nullable(Type.String({ minLength: 32, maxLength: 32, pattern: '^[0-9a-f]+$' })),
})

const Layer = Choice(FETCH_METHODS)
const Remember = Type.Optional(Choice(['static', 'browser']))
const Warnings = Type.Array(Text(1, 4000), { maxItems: 200 })
/** Only for a task that has `without_media`: how it was rendered, and whether it reads otherwise without its media. */
const OfMedia = { without_media: Type.Optional(Type.Boolean()), needs_media: Type.Optional(Type.Boolean()) }
/**
 * One entry for each region, in their order: the index of its picture in `pictures`. Null: the region was not found on
 * the page.
 */
const Shots = Type.Optional(Type.Array(Nullable(Whole(0, MAX_PICTURES - 1)), { maxItems: MAX_PICTURES }))

/** The end of a check. For `values`, the values themselves are a separate property of the outcome. */
export const RunnerReading = Tagged('kind', {
  moved: { queue: Choice(['browser']), reason: Choice(FETCH_REASONS) },
  unchanged: { fetch_method: Layer, mark: Mark, remember: Remember, ...OfMedia },
  values: {
    fetch_method: Layer,
    mark: Mark,
    /** Fields of the page of which treatments left nothing. Absent: none. */
    emptied: Type.Optional(Type.Array(Type.String(), { maxItems: 50 })),
    /** For a whole page: its readable text. */
    page_text: Type.Optional(Text(0, OUTCOME_PAGE_TEXT)),
    /** The answer is not HTML. Absent: it may be. */
    as_sent: Type.Optional(Type.Boolean()),
    warnings: Warnings,
    shots: Shots,
    remember: Remember,
    ...OfMedia,
  },
  text: {
    fetch_method: Layer,
    mark: Mark,
    text: Text(0, 50_000),
    warnings: Warnings,
    shots: Shots,
    remember: Remember,
  },
  /** The results of a search, over all pages. */
  search: { search: SearchReading },
  /** What somebody sees of a page. */
  look: {
    fetch_method: Layer,
    look: Closed({
      status: Whole(200, 299),
      url: Text(1, 16_384),
      content_type: Nullable(Text(0, 1000)),
      /** The indexes in `pictures` of the document and of the picture. */
      document: Whole(0, 1),
      picture: Nullable(Whole(0, 1)),
      is_cut: Type.Boolean(),
      ...LookSeen,
      warnings: Warnings,
    }),
  },
  failed: {
    /** Absent: no layer returned a result. */
    fetch_method: Type.Optional(Layer),
    fault: Closed({ code: Choice(Object.keys(RUN_FAULTS) as RunFaultCode[]), message: Text(1, 1000) }),
    retry_after_ms: Whole(0, 86_400_000),
    /** The HTTP status of the answer. Absent: there was no answer. */
    status: Type.Optional(Whole(100, 999)),
    /** Of a search, and only there: what the engine did. */
    engine: Type.Optional(SearchFailure),
    ...OfMedia,
  },
})
export type RunnerReading = Static<typeof RunnerReading>

/** How the answer was fetched, for a preview. `bytes`: of the decoded body; null: none was read. */
const FetchedFacts = Closed({
  status: Nullable(Whole(100, 999)),
  content_type: Nullable(Text(0, 1000)),
  bytes: Nullable(Whole(0, 2 ** 31 - 1)),
  fetch_ms: Whole(0, 600_000),
})
export type FetchedFacts = Static<typeof FetchedFacts>

/**
 * A check that ended. Times are in ms by the store's clock. Times outside of the check's own time are clamped to it.
 */
export const RunnerOutcome = Closed({
  ...CHECK,
  started_ms: Whole(0, 2 ** 48),
  ended_ms: Whole(0, 2 ** 48),
  reading: RunnerReading,
  /** For `values`: the values by field name. */
  values: Type.Optional(Type.Unknown()),
  /** Only where the task asks for it. */
  fetched: Type.Optional(FetchedFacts),
  /** The size in bytes of each picture that follows; of a look, of its document too. */
  pictures: Type.Array(Whole(1, OUTCOME_PICTURE_BYTES), { maxItems: MAX_PICTURES }),
})
export type RunnerOutcome = Static<typeof RunnerOutcome>

/**
 * What the installation denies to every check beside what is denied always: a runner adds it to its egress policy
 * before it starts the checks of the same response. A runner that does not know the version does no checks.
 */
const RunnerDenials = Type.Object({
  version: Whole(1, 1),
  cidrs: Type.Array(Text(1, 64), { maxItems: 1000 }),
  endpoints: Type.Array(Type.Object({ host: Text(1, 255), port: Whole(1, 65_535) }), { maxItems: 1000 }),
  /** Refused on every address that a setting of the runner opens: the ports of the database. */
  database_ports: Type.Optional(Type.Array(Whole(1, 65_535), { maxItems: 100 })),
})
export type RunnerDenials = Static<typeof RunnerDenials>

/** Properties of each response of a worker. The objects are not closed, so that the next version can add properties. */
const LeaseTerms = {
  /** The duration of a lease, and the remaining validity of the token, in milliseconds. */
  lease_ms: Type.Number({ minimum: 1 }),
  token_ms: Type.Number(),
  /** Checks that may still be claimed with the token. Absent: any number. */
  claims_left: Type.Optional(Type.Integer({ minimum: 0 })),
  /**
   * Milliseconds until the runner should exchange its token; 0: now. Absent: it is not exchanged, and ends.
   */
  renew_ms: Type.Optional(Type.Number({ minimum: 0 })),
  denied: RunnerDenials,
}

const RunnerTask = Type.Object({
  ...CHECK,
  run_id: Type.String(),
  monitor_id: Type.String(),
  queue: Choice(['browser', 'visual']),
  url: Type.String(),
  host: Type.String(),
  /** A hash of the team's id, so that a runner can give each team its turn. It names no team. */
  team_key: Type.String({ maxLength: 64 }),
  // The API validated these values when they were written. They are not validated again here.
  extract_config: Type.Unknown(),
  request_config: Type.Unknown(),
  visual_config: Type.Unknown(),
  request_headers: Type.Unknown(),
  obstacle: Nullable(Type.String()),
  tries_static: Type.Boolean(),
  /** Rules had no match in the direct answer: whether the browser finds more is tried. Absent: no. */
  renders_missing: Type.Optional(Type.Boolean()),
  /**
   * The page is rendered without its media first: the hash of the values that it then has to have, as hexadecimal
   * digits, and the layers that read them, as bits. Absent: it is rendered with everything.
   */
  without_media: Type.Optional(
    Type.Object({ reading_hash: Type.String({ maxLength: 64, pattern: '^[0-9a-f]+$' }), read_by: Type.Integer() }),
  ),
  /** The outcome is to say how the answer was fetched: somebody waits for a preview. Absent: no. */
  asks_fetched: Type.Optional(Type.Boolean()),
  /** Somebody wants to see the page, and no values of it. Absent: no. */
  looks: Type.Optional(Type.Boolean()),
  reason: Nullable(Choice(FETCH_REASONS)),
  last: Nullable(Mark),
  due_ms: Nullable(Type.Number()),
  claimed_ms: Type.Number(),
})
export type RunnerTask = Static<typeof RunnerTask>
export type RunnerMark = Static<typeof Mark>

const RunnerSearch = Type.Object({
  ...CHECK,
  run_id: Type.String(),
  monitor_id: Type.String(),
  team_key: Type.String({ maxLength: 64 }),
  search: SerpSearch,
  due_ms: Nullable(Type.Number()),
  claimed_ms: Type.Number(),
})
export type RunnerSearch = Static<typeof RunnerSearch>

/** `searches` is absent where the claim named no exit. */
export const RunnerClaimed = Type.Object({
  tasks: Type.Array(RunnerTask),
  searches: Type.Optional(Type.Array(RunnerSearch)),
  ...LeaseTerms,
})
export const RunnerHeld = Type.Object({ held: Type.Array(Type.Integer()), ...LeaseTerms })
/** The token that takes the place of the one that asked for it, with its validity. Its first use ends that one. */
export const RunnerExchanged = Type.Object({
  token: Type.String({ maxLength: 256, pattern: '^[!-~]+$' }),
  token_ms: Type.Number(),
  renew_ms: Type.Number({ minimum: 0 }),
})
export type RunnerExchanged = Static<typeof RunnerExchanged>
/** `bytes` is how much the check may transfer; absent: there is a reason why not. */
export const RunnerProxyHold = Type.Object({
  bytes: Type.Optional(Type.Integer({ minimum: 1 })),
  reason: Type.Optional(Choice(NO_PROXY)),
})
export type RunnerProxyHold = Static<typeof RunnerProxyHold>
export type RunnerClaimed = Static<typeof RunnerClaimed>
export type RunnerHeld = Static<typeof RunnerHeld>
