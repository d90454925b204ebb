import { runIdTime } from '../../../core/run-id.ts'
import { plottedSeries, shownStretches, type Step, stretchesOf, summaryOf } from '../../../core/series.ts'
import { plottedNumber } from '../../../core/text/movement-note.ts'
import type { RunFaultCode } from '../../../schema/run/run-fault.ts'
import { MAX_SERIES, Series, SeriesQuery, SHOWN_BLOCKS } from '../../../schema/run/series.ts'
import type { Json } from '../../../schema/shape/json.ts'
import {
  findSeriesHead,
  findSeriesStart,
  listSeriesSteps,
  listSeriesTurns,
  listShownBlocks,
  type SeriesHead,
} from '../../../store/runs/series.ts'
import { noSuch } from '../../http/common-errors.ts'
import { ById, ok, route } from '../../http/route.ts'
import type { ServedKind } from './served-kind.ts'

/** Returns the route that shows how a number of a monitor of one kind went. */
export const seriesRoute = ({ path, noun, tag, kind: { table }, series }: ServedKind) =>
  route({
    method: 'GET',
    path: `${path}/:id/series`,
    summary: `Read a number of a ${noun} over time`,
    description:
      `At most ${MAX_SERIES} points, from the runs that differ: a value holds until the next point. With the changes ` +
      "of all fields and the stretches of failed checks. Only runs inside the plan's retention window.",
    tag,
    policy: 'runs.read',
    params: ById,
    query: SeriesQuery,
    answers: { 200: { description: 'The series.', schema: Series } },
    beyond: true,
    async handle({ params, query, principal: { teamId }, services: { store } }) {
      const { from, to } = query
      const head = await findSeriesHead(store, { teamId, monitorId: params.id, kind: table.kind, from, to }, series)
      if (!head) throw noSuch('monitor')
      const fields = numericFields(head)
      const field = query.field ?? plottedOf(head, fields)
      const runs = { head, teamId, field: field ?? '' }
      const [start, steps, turns] = [
        await findSeriesStart(store, runs, series),
        await listSeriesSteps(store, runs, series),
        await listSeriesTurns(store, head),
      ]
      const isCut = steps.length === series.mostSteps(field ?? '')
      const blocks = series.hasBlocks ? await listShownBlocks(store, head) : null
      return ok(seriesOf({ head, field, fields, start, steps, turns, blocks, isCut }))
    },
  })

/** Returns the fields that read as numbers now. */
const numericFields = ({ values }: SeriesHead): readonly string[] =>
  (values ?? []).flatMap(([name, text]) => (name !== '' && numberOf(text) !== null ? [name] : []))

const plottedOf = ({ spark }: SeriesHead, fields: readonly string[]): string | null =>
  (spark && fields.includes(spark.field) ? spark.field : fields[0]) ?? null

/** Returns the number that a value is, of which there is the text of its JSON. */
const numberOf = (text: string): number | null => plottedNumber(JSON.parse(text) as Json)

interface Read {
  readonly head: SeriesHead
  readonly field: string | null
  readonly fields: readonly string[]
  readonly start: Found | null
  readonly steps: readonly (Found & { readonly is_change: boolean })[]
  /** Null: it is not of a search. */
  readonly blocks: Awaited<ReturnType<typeof listShownBlocks>> | null
  /** There are as many steps as are read. */
  readonly isCut: boolean
  readonly turns: readonly { readonly id: string; readonly ended_ms: number; readonly code: RunFaultCode | null }[]
}
interface Found {
  readonly id: string
  readonly ended_ms: number
  readonly value: string | null
}

const endedAt = ({ id, ended_ms: ms }: Pick<Found, 'id' | 'ended_ms'>): number => runIdTime(id) + ms
const instant = (ms: number): string => new Date(ms).toISOString()

/** Returns the answer. */
function seriesOf(read: Read): Series {
  const { head, field, fields, start, steps, turns, blocks } = read
  const [firstMs, endMs] = [runIdTime(head.first_id), runIdTime(head.end_id)]
  const startMs = start === null ? firstMs : Math.max(firstMs, endedAt(start))
  const begun = start?.value ? { atMs: startMs, number: numberOf(start.value) } : null
  const oldestFirst = steps.toReversed().map(stepOf)
  const { points, marks } = plottedSeries(begun, oldestFirst, MAX_SERIES)
  const knownMs = Math.min(endMs, Math.max(startMs, ...boundsOf(read)))
  const stretches = stretchesOf(turns.toReversed().map((turn) => ({ atMs: endedAt(turn), code: turn.code })))
  return {
    field,
    fields: [...fields],
    from: instant(Math.min(startMs, endMs)),
    to: instant(endMs),
    points: points.map(({ atMs, runId, ...numbers }) => ({ at: instant(atMs), ...numbers, run_id: runId })),
    changes: marks.map(({ atMs, runId, count }) => ({ at: instant(atMs), run_id: runId, count })),
    failures: stretches.slice(-MAX_SERIES).map(({ fromMs, toMs, code }) => ({
      from: instant(fromMs),
      to: toMs === null ? null : instant(toMs),
      error_code: code,
    })),
    summary: summaryOf(begun, oldestFirst, { stretches, fromMs: knownMs, endMs }),
    ...(blocks && { blocks: blocksOf(blocks) }),
    known_from: instant(knownMs),
  }
}

const stepOf = (found: Read['steps'][number]): Step => ({
  atMs: endedAt(found),
  runId: found.id,
  number: found.value === null ? undefined : numberOf(found.value),
  isChange: found.is_change,
})

/** Returns the instants before which something was not read. */
const boundsOf = ({ head, steps, turns, blocks, isCut }: Read): readonly number[] => [
  ...(head.looked_id === null ? [] : [runIdTime(head.looked_id)]),
  ...[
    isCut && steps.at(-1),
    turns.length > 2 * MAX_SERIES && turns.at(-1),
    blocks !== null && blocks.length >= MAX_SERIES && blocks.at(-1),
  ].flatMap((last) => (last ? [endedAt(last)] : [])),
]

/** Returns when blocks beside the results of a search were shown, of runs at which one came or went. */
const blocksOf = (turns: NonNullable<Read['blocks']>): NonNullable<Series['blocks']> =>
  SHOWN_BLOCKS.flatMap((block) =>
    shownStretches(
      turns.toReversed().map((turn) => ({ atMs: endedAt(turn), runId: turn.id, isShown: turn[block] })),
    ).map(({ fromMs, toMs, runId, isShown }) => ({
      block,
      from: instant(fromMs),
      to: toMs === null ? null : instant(toMs),
      is_shown: isShown,
      run_id: runId,
    })),
  )
