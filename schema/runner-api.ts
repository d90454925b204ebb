import Type, { type Static } from 'typebox'
import { RUN_FAULTS, type RunFaultCode } from './run/run-fault.ts'
import { Choice, Closed, Nullable, Tagged, Text, Whole } from './shape/shape.ts'

/**
 * What a runner and a worker say to each other over HTTP (docs/browser.md, Runners): four verbs under /runner, POST
 * each. A runner is believed nothing that the store knows: it names its check by number and fence, and which check that
 * is, of whom and read how, is looked up.
 */

/**
 * Type of the body of /runner/complete: four bytes, big-endian, that say how long the JSON is; the JSON, a
 * `RunnerOutcome`; the pictures, one after the other.
 */
export const OUTCOME_TYPE = 'application/vnd.tidemark.outcome'
/** Bytes of that JSON at most: values and text are bounded far below. */
export const OUTCOME_HEAD_BYTES = 2 * 1024 * 1024
/** Bytes of one picture, and of all that one check brings, at most. */
const OUTCOME_PICTURE_BYTES = 15 * 1024 * 1024
export const OUTCOME_PICTURES_BYTES = 64 * 1024 * 1024

const MOST_PICTURES = 20

const CHECK = { no: Whole(1, 2 ** 40 - 1), fence: Whole(1, 2 ** 31 - 1) }
const Checks = Type.Array(Closed(CHECK), { maxItems: 1000 })

export const RunnerClaim = Closed({ limit: Whole(1, 100) })
export const RunnerHeartbeat = Closed({ checks: Checks })
export const RunnerRelease = Closed({ checks: Checks, delay_ms: Whole(0, 60_000) })

const Mark = Closed({
  etag: Nullable(Text(0, 16_384)),
  last_modified: Nullable(Text(0, 16_384)),
  /** Sixteen bytes, as hexadecimal digits. */
  body_hash: Nullable(Type.String({ minLength: 32, maxLength: 32, pattern: '^[0-9a-f]+$' })),
})

/** A runner has no proxy. */
const Layer = Choice(['static', 'browser'])
const Remember = Type.Optional(Choice(['static', 'browser']))
const Warnings = Type.Array(Text(1, 4000), { maxItems: 200 })
/**
 * One for each region, in their order: the place of its picture among `pictures`; null: it was not found on the page.
 */
const Shots = Type.Optional(Type.Array(Nullable(Whole(0, MOST_PICTURES - 1)), { maxItems: MOST_PICTURES }))

/** How a check ended. Of `values` the values themselves stand beside it. */
export const RunnerReading = Tagged('kind', {
  moved: { queue: Choice(['browser']), why: Text(1, 1000) },
  unchanged: { fetch_method: Layer, mark: Mark, remember: Remember },
  values: { fetch_method: Layer, mark: Mark, warnings: Warnings, shots: Shots, remember: Remember },
  text: {
    fetch_method: Layer,
    mark: Mark,
    text: Text(0, 50_000),
    warnings: Warnings,
    shots: Shots,
    remember: Remember,
  },
  failed: {
    /** Absent: no layer came to anything. */
    fetch_method: Type.Optional(Layer),
    fault: Closed({ code: Choice(Object.keys(RUN_FAULTS) as RunFaultCode[]), message: Text(1, 1000) }),
    retry_after_ms: Whole(0, 86_400_000),
    /** The HTTP status that was answered; absent: none was. */
    status: Type.Optional(Whole(100, 999)),
  },
})
export type RunnerReading = Static<typeof RunnerReading>

/** A check that ended. Times are in ms by the store's clock; what lies outside of the check's own time is cut off. */
export const RunnerOutcome = Closed({
  ...CHECK,
  started_ms: Whole(0, 2 ** 48),
  ended_ms: Whole(0, 2 ** 48),
  reading: RunnerReading,
  /** Of `values`: by the names of the fields. */
  values: Type.Optional(Type.Unknown()),
  /** Bytes of each picture that follows. */
  pictures: Type.Array(Whole(1, OUTCOME_PICTURE_BYTES), { maxItems: MOST_PICTURES }),
})
export type RunnerOutcome = Static<typeof RunnerOutcome>

/** What a worker answers. Not closed: one of the next version may say more. */
const Standing = {
  /** How long a lease lasts, and how long the token still works, in milliseconds. */
  lease_ms: Type.Number({ minimum: 1 }),
  token_ms: Type.Number(),
}

const RunnerTask = Type.Object({
  ...CHECK,
  run_id: Type.String(),
  monitor_id: Type.String(),
  queue: Choice(['browser', 'visual']),
  url: Type.String(),
  host: Type.String(),
  // As they were accepted once; they are not judged again on their way.
  extract_config: Type.Unknown(),
  request_config: Type.Unknown(),
  visual_config: Type.Unknown(),
  request_headers: Type.Unknown(),
  obstacle: Nullable(Type.String()),
  tries_static: Type.Boolean(),
  last: Nullable(Mark),
  due_ms: Nullable(Type.Number()),
  claimed_ms: Type.Number(),
})
export type RunnerTask = Static<typeof RunnerTask>
export type RunnerMark = Static<typeof Mark>

export const RunnerClaimed = Type.Object({ tasks: Type.Array(RunnerTask), ...Standing })
export const RunnerHeld = Type.Object({ held: Type.Array(Type.Integer()), ...Standing })
export type RunnerClaimed = Static<typeof RunnerClaimed>
export type RunnerHeld = Static<typeof RunnerHeld>
