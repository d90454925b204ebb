import { useQuery } from '@tanstack/react-query'
import { ApiFault, ask } from '../api/client.ts'
import type { Run, RunDiff } from '../api/types.ts'
import { changesOf, isLongText } from '../monitors/values.ts'
import { type ListedChange, runPath } from './use-run.ts'

/** A field before and after. Undefined: it was not there. */
interface ComparedField {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
  /** By how much an amount changed. */
  readonly percent: number | null
}

/** A run compared with an earlier one. */
export interface Comparison {
  readonly fields: readonly ComparedField[]
  /** The texts that differ. Null: they are still being compared. */
  readonly texts: RunDiff['fields'] | null
  /** Why there is nothing to compare, in words of the API. */
  readonly refusal: string | null
  /** The run that it is compared with, where one was asked for. */
  readonly other: RunDiff['against'] | null
  readonly error: unknown
}

interface Compared {
  readonly run: Run
  /** Empty: the run before. `seen`: what the reader last saw. Else the id of a run. */
  readonly against: string
  readonly change: ListedChange | null
}

/** Returns what differs from the run before, as the run found it, or from another run. */
export function useComparison({ run, against, change }: Compared): Comparison {
  const isOther = against !== ''
  const hasLongTexts = changesOf(run).some(isLongText)
  const path = `${runPath(run.id)}/diff${isOther ? `?against=${encodeURIComponent(against)}` : ''}`
  const { data, error, isPending } = useQuery({
    queryKey: ['difference', path],
    enabled: isOther || hasLongTexts,
    queryFn: ({ signal }) => ask<RunDiff>(path, { signal }).catch(refusalOf),
  })
  const diff = typeof data === 'object' ? data : null
  const refusal = typeof data === 'string' ? data : null
  if (isOther) {
    const fields = fieldsOf(diff)
    return { fields, texts: longOnes(diff, fields) ?? null, refusal, other: diff?.against ?? null, error }
  }
  const percents = new Map(change?.fields.map(({ field, percent }) => [field, percent]))
  const fields = changesOf(run).map((each) => ({ ...each, percent: percents.get(each.field) ?? percentOf(each) }))
  const isWaiting = isPending && hasLongTexts
  // The text of a page is kept for a while only. Its values are still shown.
  return { fields, texts: longOnes(diff, fields) ?? (isWaiting ? null : []), refusal, other: null, error }
}

/** Returns the texts of which the table of values shows less than their words do. */
const longOnes = (diff: RunDiff | null, fields: readonly ComparedField[]): RunDiff['fields'] | undefined =>
  diff?.fields.filter(({ field }) => fields.some((each) => each.field === field && isLongText(each)))

/** Returns by how much a number changed. The list of changes says it of amounts in texts too, but of few fields. */
function percentOf({ before, after }: Pick<ComparedField, 'before' | 'after'>): number | null {
  if (typeof before !== 'number' || typeof after !== 'number' || before === 0) return null
  return ((after - before) / Math.abs(before)) * 100
}

function fieldsOf(diff: RunDiff | null): readonly ComparedField[] {
  const { fields_changed: names, before, after, percent } = diff?.changed ?? NO_CHANGE
  return names.map((field) => ({
    field,
    before: before[field],
    after: after[field],
    percent: percent[field] ?? null,
  }))
}
const NO_CHANGE: NonNullable<RunDiff['changed']> = { fields_changed: [], before: {}, after: {}, percent: {} }

/** A 404 of this route says why there is nothing to compare. */
function refusalOf(error: unknown): string {
  if (error instanceof ApiFault && error.status === 404) return error.message
  throw error
}
