import type { MonitorKind } from '../../../schema/resource-kind.ts'
import { isNarrowed, RunFilters, RunPage } from '../../../schema/run/run-filters.ts'
import type { Queryable } from '../../../store/db/client.ts'
import { hasValues } from '../../../store/db/listed-bytes.ts'
import { countChangedRuns } from '../../../store/runs/changed-runs.ts'
import { countNarrowedRuns, findEndOfLook } from '../../../store/runs/narrowed-runs.ts'
import type { ListedRun } from '../../../store/runs/run-record.ts'
import { countRuns, listNarrowedRuns, listRuns, readRunTexts } from '../../../store/runs/runs.ts'
import { noSuch } from '../../http/common-errors.ts'
import { paginationOf, windowOf } from '../../http/page-of-rows.ts'
import { ById, ok, okParts, route } from '../../http/route.ts'
import { runInList, shownInList } from '../../presenters/listed.ts'
import type { ServedKind } from './served-kind.ts'

/** Returns the route that lists the runs of a monitor of one kind. */
export const monitorRunsRoute = ({ path, noun, tag, kind: { table } }: ServedKind) =>
  route({
    method: 'GET',
    path: `${path}/:id/runs`,
    summary: `List a ${noun}'s runs, newest first`,
    description:
      "Only runs inside the plan's retention window. A run that is queued or in progress comes first, as running.",
    tag,
    policy: 'runs.read',
    params: ById,
    query: RunFilters,
    answers: { 200: { description: 'A page of runs.', schema: RunPage } },
    streams: true,
    async handle({ params, query, principal: { teamId }, services: { store, lists }, left }) {
      const wanted = { teamId, monitorId: params.id, kind: table.kind }
      const { rows, next, count } = await (isNarrowed(query) ? narrowed : whole)(store, wanted, query)
      const counted = async () => {
        const total = await count()
        if (total === null) throw noSuch('monitor')
        return total
      }
      // There are no rows: the page is empty, or the monitor does not exist.
      const total = rows.length === 0 ? await counted() : null
      const pagination = await paginationOf(query, rows.length, async () => total ?? counted())
      const rest = { pagination, ...(next !== undefined && { next }) }
      if (hasValues(rows)) return ok({ data: rows.map(shownInList), ...rest })
      const read = (group: readonly ListedRun[]) => textsOf(store, group)
      return okParts(
        await lists.open({ teamId, rows: rows.map((row) => ({ ...row, ...NO_VALUES })), read, rest, left }),
      )
    },
  })

interface WantedRuns {
  readonly teamId: string
  readonly monitorId: string
  readonly kind: MonitorKind
}

/** A page of runs. */
interface FoundRuns {
  readonly rows: readonly ListedRun[]
  /** Where the next page begins. Undefined: the answer does not say it. */
  readonly next?: string | null
  /** Returns the length of the list; null: there is no such monitor. */
  count(): Promise<number | null>
}

/** Returns a page of all runs, or of those with a difference. */
async function whole(store: Queryable, wanted: WantedRuns, query: RunFilters): Promise<FoundRuns> {
  const { changed: isChanged = false } = query
  const { teamId, monitorId, kind } = wanted
  return {
    rows: await listRuns(store, { ...wanted, isChanged, ...windowOf(query) }),
    count: () => (isChanged ? countChangedRuns : countRuns)(store, teamId, monitorId, kind),
  }
}

/** Returns a page of narrowed runs. One row more shows whether there is a next page. */
async function narrowed(store: Queryable, wanted: WantedRuns, query: RunFilters): Promise<FoundRuns> {
  const { changed: isChanged = false, status, fired, from, to, before, after } = query
  const ofList = { ...wanted, narrowing: { isChanged, status, fired, from, to, before, after } }
  const { limit, offset } = windowOf(query)
  const count = () => countNarrowedRuns(store, ofList)
  const looked = await listNarrowedRuns(store, { ...ofList, limit: limit + 1, offset })
  const isForward = after !== undefined
  const isFull = looked.length > limit
  // A full page of one source ends before its look does.
  const hasSeveralSources = isChanged || fired === true
  const end = isFull && !hasSeveralSources ? null : await findEndOfLook(store, ofList)
  // What the look at one source found beyond the end of another is found again from there.
  const found = end === null ? looked : looked.filter(({ id }) => (isForward ? id <= end : id >= end))
  if (found.length <= limit) return { rows: found, next: end, count }
  const rows = isForward ? found.slice(1) : found.slice(0, limit)
  return { rows, next: (isForward ? rows[0] : rows.at(-1))?.id ?? null, count }
}

/** Returns the JSON of runs whose values are still to be read. One that is deleted by now is missing. */
async function textsOf(store: Queryable, runs: readonly ListedRun[]): Promise<readonly string[]> {
  const stored = runs.filter(isStored).map(({ id }) => id)
  const texts = new Map((await readRunTexts(store, stored)).map((each) => [each.id, each]))
  return runs.flatMap((run) => {
    const own = isStored(run) ? texts.get(run.id) : NO_VALUES
    return own ? [runInList(run, own)] : []
  })
}

/** A run in progress has no row yet, and no values. */
const isStored = ({ status }: ListedRun): boolean => status !== 'running'
const NO_VALUES = { extracted: null, diff: null, warnings: null, organic_results: null }
