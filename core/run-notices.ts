import type { NoticeKind } from '../schema/monitor/delivery-config.ts'
import { FAILURES_UNTIL_ERROR } from './schedule.ts'

/** A notice that a run causes. */
export interface RunNotice {
  readonly kind: Extract<NoticeKind, 'failing' | 'recovered' | 'field_missing'>
  /** Of `field_missing`: the fields. Null: every field is empty, which is trouble of the monitor itself. */
  readonly fields: readonly string[] | null
}

/**
 * Is true for a notice about the health of a monitor: trouble, whose end a `recovered` tells, or that end. A field that
 * is missing beside others is not part of it.
 */
export const isOfHealth = (kind: string | null, areAllMissing: boolean): boolean =>
  kind === 'failing' || kind === 'recovered' || (kind === 'field_missing' && areAllMissing)

/** The health of a monitor before a run. */
export interface HealthBefore {
  /** Failures in a row. */
  readonly failures: number
  /** It was failing when a user or an edit set its failures to 0. */
  readonly wasFailing: boolean
}

/**
 * Returns the notice that a run causes by its outcome. Only the run that crosses the threshold causes one: the fifth
 * failure in a row, and the first success after it, whatever set the count to 0 between.
 */
export function noticesAfter({ failures, wasFailing }: HealthBefore, hasFailed: boolean): readonly RunNotice[] {
  if (hasFailed) return failures === FAILURES_UNTIL_ERROR - 1 ? FAILING : NO_NOTICES
  return wasFailing || failures >= FAILURES_UNTIL_ERROR ? RECOVERED : NO_NOTICES
}

const NO_NOTICES: readonly RunNotice[] = []
/** A search that fails so often that it is paused causes this notice a second time. */
export const FAILING: readonly RunNotice[] = [{ kind: 'failing', fields: null }]
const RECOVERED: readonly RunNotice[] = [{ kind: 'recovered', fields: null }]
