import type { Monitor } from '../../../schema/monitor/monitor.ts'
import type { MonitorKind } from '../../../schema/resource-kind.ts'
import type { SerpMonitor } from '../../../schema/serp/serp-monitor.ts'
import { hasValues } from '../../../store/db/listed-bytes.ts'
import type { ListedMonitor, MonitorTexts, RowOfKind } from '../../../store/monitors/monitor-record.ts'
import { readMonitorTexts } from '../../../store/monitors/monitors.ts'
import { jsonWith } from '../../http/json-with.ts'
import { type Answer, type Call, ok, okParts } from '../../http/route.ts'

interface MonitorList<K extends MonitorKind> {
  readonly kind: K
  readonly rows: readonly ListedMonitor<K>[]
  /** What follows `data`. */
  readonly rest: object
  readonly show: (stored: RowOfKind[K]) => Monitor | SerpMonitor
}

/**
 * Returns the answer with a page of monitors. They are never cut: a page that is too large for one answer is sent in
 * groups.
 */
export async function answerMonitors<K extends MonitorKind>(
  { principal, services, left }: Pick<Call<unknown, unknown, unknown>, 'principal' | 'services' | 'left'>,
  { kind, rows, rest, show }: MonitorList<K>,
): Promise<Answer> {
  if (hasValues(rows)) return ok({ data: rows.map(show), ...rest })
  const { teamId } = principal
  const read = async (group: readonly { readonly no: number }[]) => {
    const numbers = group.map(({ no }) => no)
    const stored = await readMonitorTexts(services.store, { teamId, kind, numbers })
    const byNumber = new Map(stored.map((each) => [each.no, each]))
    return numbers.flatMap((no) => {
      const own = byNumber.get(no)
      return own ? [jsonWith(show(own), textsOf(own))] : []
    })
  }
  return okParts(
    await services.lists.open({ teamId, rows: rows.map(({ no, bytes }) => ({ no, bytes })), read, rest, left }),
  )
}

/** Returns the columns that are JSON already. */
function textsOf(stored: RowOfKind[MonitorKind]): MonitorTexts {
  const { extract_config, diff_predicate, request_config, visual_config } = stored as MonitorTexts
  return { extract_config, diff_predicate, request_config, visual_config }
}
