import Type from 'typebox'
import { PageOf, pageQuery } from '../../../schema/page-of.ts'
import { Run } from '../../../schema/run/run.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import type { Queryable } from '../../../store/db/client.ts'
import { hasValues } from '../../../store/db/listed-bytes.ts'
import { countChangedRuns } from '../../../store/runs/changed-runs.ts'
import type { ListedRun } from '../../../store/runs/run-record.ts'
import { countRuns, listRuns, readRunTexts } from '../../../store/runs/runs.ts'
import { noSuch } from '../../http/common-errors.ts'
import { paginationOf, windowOf } from '../../http/page-of-rows.ts'
import { ById, ok, okParts, route } from '../../http/route.ts'
import { runInList, shownInList } from '../../presenters/listed.ts'
import type { ServedKind } from './served-kind.ts'

const Changed = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Beyond the contract: true: only runs that found a difference: of a field, of a picture, or of the results of ' +
      'a search, its first ones included; false: all runs.',
  }),
)

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
    query: Closed({ ...pageQuery, changed: Changed }),
    answers: { 200: { description: 'A page of runs.', schema: PageOf(Run) } },
    streams: true,
    async handle({ params, query, principal: { teamId }, services: { store, lists }, left }) {
      const { changed: isChanged = false } = query
      const wanted = { teamId, monitorId: params.id, kind: table.kind, isChanged }
      const rows = await listRuns(store, { ...wanted, ...windowOf(query) })
      const count = async () => {
        const total = await (isChanged ? countChangedRuns : countRuns)(store, teamId, params.id, table.kind)
        if (total === null) throw noSuch('monitor')
        return total
      }
      // There are no rows: the page is empty, or the monitor does not exist.
      const total = rows.length === 0 ? await count() : null
      const pagination = await paginationOf(query, rows.length, async () => total ?? count())
      if (hasValues(rows)) return ok({ data: rows.map(shownInList), pagination })
      const read = (group: readonly ListedRun[]) => textsOf(store, group)
      return okParts(
        await lists.open({
          teamId,
          rows: rows.map((row) => ({ ...row, ...NO_VALUES })),
          read,
          rest: { pagination },
          left,
        }),
      )
    },
  })

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
