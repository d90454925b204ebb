import type { EverySpec } from '../../../schema/monitor/every-spec.ts'
import { parseLabelSelector } from '../../../schema/monitor/labels.ts'
import type { ListedStatus } from '../../../schema/monitor/monitor.ts'
import { PageOf, pageQuery } from '../../../schema/page-of.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { hasValues } from '../../../store/db/listed-bytes.ts'
import type { Listed } from '../../../store/monitors/kinds/kind-table.ts'
import type { EveryRow } from '../../../store/monitors/kinds/monitor-row.ts'
import { countMonitors, listMonitors, readMonitorTexts } from '../../../store/monitors/monitors.ts'
import { jsonWith } from '../../http/json-with.ts'
import { paginationOf, windowOf } from '../../http/page-of-rows.ts'
import { type Answer, type Call, ok, okParts, route } from '../../http/route.ts'
import { shownMonitor } from '../../presenters/shown.ts'
import type { ServedKind } from './served-kind.ts'

/** What narrows the list of a kind. Each kind accepts some of these. */
interface ListQuery {
  readonly page: number
  readonly limit: number
  readonly visual?: boolean
  readonly status?: ListedStatus
  readonly name?: string
  readonly monitor_id?: string
  readonly external_key?: string
  readonly label?: string
}

/** Returns the route that lists the monitors of a kind. */
export const listMonitorsRoute = <Spec extends EverySpec, Row extends EveryRow>(served: ServedKind<Spec, Row>) =>
  route({
    method: 'GET',
    path: served.path,
    summary: `List ${served.noun}s, newest first`,
    tag: served.tag,
    policy: 'monitors.read',
    query: Closed({ ...pageQuery, ...served.query }),
    answers: { 200: { description: `A page of ${served.noun}s.`, schema: PageOf(served.record) } },
    streams: true,
    async handle(call) {
      const { principal, services } = call
      const { table } = served.kind
      const query = call.query as ListQuery
      const { visual, status, name, monitor_id: id, external_key: externalKey, label } = query
      const labels = label === undefined ? undefined : (parseLabelSelector(label) ?? undefined)
      const wanted = { teamId: principal.teamId, visual, status, name, id, externalKey, labels }
      const rows = await listMonitors(services.store, table, { ...wanted, ...windowOf(query) })
      const count = () => countMonitors(services.store, table, wanted)
      const pagination = await paginationOf(query, rows.length, count)
      return answerMonitors(call, served, { rows, rest: { pagination } })
    },
  })

interface MonitorList<Row extends EveryRow> {
  readonly rows: readonly Listed<Row>[]
  /** What follows `data`. */
  readonly rest: object
}

/**
 * Returns the answer with a page of monitors. They are never cut: a page that is too large for one answer is sent in
 * groups.
 */
async function answerMonitors<Spec extends EverySpec, Row extends EveryRow>(
  { principal, services, left }: Pick<Call<unknown, unknown, unknown>, 'principal' | 'services' | 'left'>,
  { kind }: ServedKind<Spec, Row>,
  { rows, rest }: MonitorList<Row>,
): Promise<Answer> {
  const show = (stored: Row) => shownMonitor(kind, stored, { services, principal })
  if (hasValues(rows)) return ok({ data: rows.map(show), ...rest })
  const { teamId } = principal
  const read = async (group: readonly { readonly no: number }[]) => {
    const numbers = group.map(({ no }) => no)
    const stored = await readMonitorTexts(services.store, kind.table, { teamId, numbers })
    const byNumber = new Map(stored.map((each) => [each.no, each]))
    return numbers.flatMap((no) => {
      const own = byNumber.get(no)
      return own ? [jsonWith(show(own), textsOf(own, kind.table.list.shownAsStored))] : []
    })
  }
  return okParts(
    await services.lists.open({ teamId, rows: rows.map(({ no, bytes }) => ({ no, bytes })), read, rest, left }),
  )
}

/** Returns the columns that are JSON already. */
const textsOf = (stored: EveryRow, names: readonly string[]) =>
  Object.fromEntries(Object.entries(stored).filter(([name]) => names.includes(name))) as Record<string, string | null>
