import { isDeepStrictEqual } from 'node:util'
import { hasNoMatch, valueOf } from '../../core/diff/diff-values.ts'
import { FAILURES_UNTIL_ERROR, FAILURES_UNTIL_PAUSED, READINGS_UNTIL_NOTICE } from '../../core/schedule.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { KindTable } from '../../store/monitors/kinds/kind-table.ts'
import type { ResultsRow } from '../../store/monitors/monitor-results.ts'
import {
  type Condition,
  type CustomResource,
  type FailedDestination,
  type ResourceStatus,
  requestOf,
} from './custom-resource.ts'
import type { RefusalReason } from './decide.ts'
import type { OperatedKind } from './kinds.ts'

/** Whether the resource was accepted. */
export type Acceptance =
  | {
      readonly kind: 'accepted'
      readonly id: string
      readonly running: Running
      /** Why the cluster has no runner pods for checks that need a browser. Absent or null: it has, or needs none. */
      readonly noRunners?: string | null
    }
  | {
      readonly kind: 'refused'
      readonly reason: RefusalReason
      readonly message: string
      /** What the checks of its record found, which goes on with the configuration that was accepted last. */
      readonly running?: Running | null
    }

/** A record that runs. */
export interface Running {
  readonly results: ResultsRow | null
  /** The destinations that take no messages. */
  readonly failed: readonly FailedDestination[]
}

/** Longest text of a value. The definition of the status has the same bounds. */
const MAX_VALUE = 200
const MAX_FIELDS = 50
const MAX_MESSAGE = 2_000
const MAX_NAME = 100

/**
 * Returns the status of a resource. `Ready` says that the resource was accepted and is scheduled, and never how its
 * site is; `Healthy` says whether the checks succeed. What the store knows stays in the status of a refused resource,
 * because its last accepted configuration goes on.
 */
export function statusOf(
  kind: OperatedKind,
  resource: CustomResource,
  acceptance: Acceptance,
  now: Date,
): ResourceStatus {
  const { metadata, spec, status: before = {} } = resource
  const generation = metadata.generation ?? 0
  const request = requestOf(resource)
  const conditions = conditionsOf(kind, resource, acceptance, now)
  const times = { before: before.conditions ?? [], generation, now: `${now.toISOString().slice(0, 19)}Z` }
  const shared = {
    observedGeneration: generation,
    ...kind.shown(spec),
    interval: intervalText(spec['scheduleIntervalSeconds']),
    conditions: conditions.map((condition) => timed(condition, times)),
  }
  if (acceptance.kind === 'accepted')
    return {
      ...shared,
      id: acceptance.id,
      ...(request !== null && { lastHandledRequest: request }),
      ...found(acceptance.running),
    }
  const { running } = acceptance
  if (!running) return { ...before, ...shared }
  const { lastChange: _change, values: _values, failedDestinations: _failed, ...rest } = before
  return { ...rest, ...shared, ...found(running) }
}

const found = ({ results, failed }: Running) => ({
  ...(results && resultsIn(results)),
  ...(failed.length > 0 && { failedDestinations: failed }),
})

type Untimed = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

function conditionsOf(
  { records: { table }, needsBrowser }: OperatedKind,
  resource: CustomResource,
  acceptance: Acceptance,
  now: Date,
): readonly Untimed[] {
  const { spec, status } = resource
  if (acceptance.kind === 'refused') {
    const { reason, message, running } = acceptance
    const text = cut(message, MAX_MESSAGE)
    const last = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted)
    const known = running
      ? outcomesOf(table, resource, running)
      : [last('Healthy') ?? healthOf(table, null), last('Delivering')]
    return [
      { type: 'Ready', status: 'False', reason, message: text },
      ...known.filter((condition) => condition !== undefined),
      { type: 'Stalled', status: 'True', reason, message: text },
    ]
  }
  const ready: Untimed = spec.suspend
    ? { type: 'Ready', status: 'True', reason: 'Suspended', message: 'The manifest suspends the monitor.' }
    : { type: 'Ready', status: 'True', reason: 'Scheduled', message: 'The monitor is scheduled.' }
  const { running, noRunners = null } = acceptance
  const isWaiting = noRunners !== null && needsBrowser(spec) && !spec.suspend && isDue(running.results, now)
  const [health, ...others] = outcomesOf(table, resource, running)
  return [ready, (isWaiting && waitingFor(noRunners)) || health, ...others]
}

/** Returns what the record of a resource does: how its checks end, and whether its messages arrive. */
function outcomesOf(table: KindTable, resource: CustomResource, { results, failed }: Running): [Untimed, ...Untimed[]] {
  const delivering = deliveringOf(resource, failed)
  return [healthOf(table, results), ...(delivering ? [delivering] : [])]
}

/** Returns whether the destinations take messages; null where there are none. */
function deliveringOf({ spec }: CustomResource, failed: readonly FailedDestination[]): Untimed | null {
  const [first, ...others] = failed
  if (first) {
    const more = others.length === 0 ? '' : ` Besides it: ${others.length}, in status.failedDestinations.`
    return delivering('False', 'GivenUp', `${failureText(first)}${more}`)
  }
  const declared = spec['deliveries']
  if (!Array.isArray(declared) || declared.length === 0) return null
  return delivering('True', 'Delivering', 'No destination refuses its messages.')
}

const delivering = (status: Condition['status'], reason: string, message: string): Untimed => ({
  type: 'Delivering',
  status,
  reason,
  message,
})

/** Returns what a person is told of a destination that takes no messages. */
export function failureText({ path, type, address, since, responseStatus }: FailedDestination): string {
  const destination = `${path} (${address === undefined ? type : `${type}, ${address}`})`
  const answer = responseStatus === undefined ? 'gave no answer' : `answered ${responseStatus}`
  return `The destination ${destination} was given up at ${since}: it ${answer}.`
}

/** Returns whether a check waits that could run: the plan allows it and nobody paused it. */
function isDue(results: ResultsRow | null, now: Date): boolean {
  if (results === null) return true
  const { locked, paused, no_runs_until: until, next_run_at: next } = results
  return !locked && !paused && until === null && next !== null && Date.parse(next) <= now.getTime()
}

const waitingFor = (why: string): Untimed => ({
  type: 'Healthy',
  status: 'Unknown',
  reason: 'NoRunners',
  message: cut(`Its check waits for a runner pod: ${why}`, MAX_MESSAGE),
})

const healthy = (status: Condition['status'], reason: string, message: string) => ({
  type: 'Healthy',
  status,
  reason,
  message: cut(message, MAX_MESSAGE),
})

function healthOf({ runs }: KindTable, results: ResultsRow | null): Untimed {
  if (results?.locked) return healthy('False', 'BillingPaused', 'The plan does not allow this monitor to run.')
  if (results?.paused && !runs.backsOff && results.failures >= FAILURES_UNTIL_PAUSED)
    return healthy(
      'False',
      'AutoPaused',
      `It paused itself after ${results.failures} failed checks. ${lastOf(results)}`,
    )
  if (results?.paused) return healthy('Unknown', 'Paused', 'The monitor is paused through the API.')
  if (results && results.no_runs_until !== null && results.next_run_at !== null)
    return healthy('False', 'OutOfRuns', `The team has used its runs. There are new ones at ${results.no_runs_until}.`)
  if (!results || results.last_run_at === null) return healthy('Unknown', 'NeverRun', 'No check has run yet.')
  return outcomeOf(results)
}

function outcomeOf(results: ResultsRow): Untimed {
  const { failures, values } = results
  // Also while checks fail: the values are those of the last one that succeeded.
  const missing = withoutMatch(values ?? {})
  if (failures >= FAILURES_UNTIL_ERROR) return healthy('False', 'Failing', `${lastOf(results)}${missing}`)
  // Nothing was ever read: a wait for the first values must not end here.
  if (failures > 0 && values === null) return healthy('Unknown', 'NoSuccess', lastOf(results))
  if (results.empty_readings === READINGS_UNTIL_NOTICE) return healthy('False', 'NoValues', NO_VALUES)
  if (failures > 0)
    return healthy(
      'True',
      'Succeeding',
      `The last check failed, and not yet ${FAILURES_UNTIL_ERROR}: ${lastOf(results)}${missing}`,
    )
  return healthy('True', 'Succeeding', `The checks succeed.${missing}`)
}

const NO_VALUES =
  'No field has a value, so this monitor cannot notice a change. Correct its rules; where scripts make the page, set ' +
  'fetchMode: browser.'

function withoutMatch(values: Values): string {
  const names = Object.keys(values).filter((name) => hasNoMatch(valueOf(values, name)))
  return names.length === 0 ? '' : ` No match: ${names.map((name) => JSON.stringify(name)).join(', ')}.`
}

const lastOf = ({ last_error: message }: ResultsRow): string => message ?? 'The last checks failed.'

function timed(
  condition: Untimed,
  { before, generation, now }: { before: readonly Condition[]; generation: number; now: string },
): Condition {
  const last = before.find(({ type }) => type === condition.type)
  // Waiters and dashboards read it as the time of the flip.
  const lastTransitionTime = last?.status === condition.status ? last.lastTransitionTime : now
  const { type, status, reason, message } = condition
  return { type, status, observedGeneration: generation, lastTransitionTime, reason, message }
}

function resultsIn({ values, diff, change_run_id, changed_at }: ResultsRow) {
  return {
    ...(diff &&
      change_run_id !== null &&
      changed_at !== null && {
        lastChange: {
          time: changed_at,
          runId: change_run_id,
          fields: diff.fields_changed.slice(0, MAX_FIELDS).map((name) => ({
            name: cut(name, MAX_NAME),
            ...textOf('before', diff.before[name]),
            ...textOf('after', diff.after[name]),
          })),
        },
      }),
    ...(values && {
      values: Object.fromEntries(
        Object.entries(values)
          .slice(0, MAX_FIELDS)
          .map(([name, value]) => [name, hasNoMatch(value) ? null : shownValue(value)]),
      ),
    }),
  }
}

/** A value that is not there is absent: a merge patch drops null. */
const textOf = (key: 'before' | 'after', value: unknown) =>
  value === undefined || value === null ? {} : { [key]: shownValue(value) }

const shownValue = (value: unknown): string => cut(typeof value === 'string' ? value : JSON.stringify(value), MAX_VALUE)

/**
 * Returns a text of at most so many units. Of a character that does not fit, nothing is left: the API server would
 * replace one half of it, and each comparison with what it has would find a difference.
 */
const cut = (text: string, most: number): string =>
  text
    .slice(0, most)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
] as const

/** Returns an interval in its largest whole unit: 900 seconds are 15m. */
function intervalText(seconds: unknown): string {
  if (typeof seconds !== 'number') return '-'
  const [unit, size] = UNITS.find(([, most]) => seconds >= most && seconds % most === 0) ?? ['s', 1]
  return `${seconds / size}${unit}`
}

/**
 * Returns whether a status has to be written. It has nothing that each check changes, such as times of runs: between
 * two writes that would grow old, and show a monitor that runs as one that does not.
 */
export const isNews = (before: ResourceStatus | undefined, now: ResourceStatus): boolean =>
  // The API server returns keys in its own order, so texts are not compared.
  !isDeepStrictEqual(before, now)

/**
 * Returns the JSON patch that makes this the status of a resource in this version. A merge patch could not write null.
 */
export const statusPatch = (version: string | undefined, status: ResourceStatus): object => [
  { op: 'replace', path: '/metadata/resourceVersion', value: version },
  { op: 'add', path: '/status', value: status },
]
