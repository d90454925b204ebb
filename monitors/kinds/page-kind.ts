import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import { type MonitorRow, PAGE_TABLE } from '../../store/monitors/kinds/page-table.ts'
import type { Kind } from './kind.ts'
import { PAGE_SPEC } from './page-spec.ts'

/** Monitors of pages, APIs and feeds. */
export const PAGE: Kind<MonitorSpec, MonitorRow> = {
  ...PAGE_SPEC,
  audited: 'monitor',
  table: PAGE_TABLE,
  warnings: async (_store, stored) => stored.map(() => []),
}
