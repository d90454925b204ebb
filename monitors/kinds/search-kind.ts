import type { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { SEARCH_TABLE, type SerpMonitorRow } from '../../store/monitors/kinds/search-table.ts'
import { searchWarnings } from '../check/search-warnings.ts'
import type { Kind } from './kind.ts'
import { SEARCH_SPEC } from './search-spec.ts'

/** Monitors of searches. */
export const SEARCH: Kind<SerpMonitorSpec, SerpMonitorRow> = {
  ...SEARCH_SPEC,
  audited: 'serp_monitor',
  table: SEARCH_TABLE,
  warnings: (store, stored, { serpSpacingMs }) => searchWarnings(store, stored, serpSpacingMs),
}
