import { SEARCH } from '../../../monitors/kinds/search-kind.ts'
import {
  SerpMonitor,
  SerpMonitorCreate,
  serpMonitorQuery,
  type SerpMonitorSpec,
} from '../../../schema/serp/serp-monitor.ts'
import type { SerpMonitorRow } from '../../../store/monitors/kinds/search-table.ts'
import { SEARCH_SERIES } from '../../../store/runs/series-table.ts'
import { backtestSearchRoute, previewSearchRoute } from './search-trial.ts'
import type { ServedKind } from './served-kind.ts'

/** Monitors of searches. */
export const SEARCHES: ServedKind<SerpMonitorSpec, SerpMonitorRow> = {
  kind: SEARCH,
  path: `/v1/${SEARCH.resource.collection}`,
  noun: 'SERP monitor',
  tag: 'SERP monitors',
  record: SerpMonitor,
  create: SerpMonitorCreate,
  query: serpMonitorQuery,
  series: SEARCH_SERIES,
  describes: {
    create:
      'Its first run is due at once and is a silent baseline. On a plan without SERP and without credits it is ' +
      'created and is `billing_paused`.',
    edit:
      'Each key in the body replaces the whole stored value; null clears a nullable key. Switching mode to ' +
      'full_analysis clears target_domain. A change of keyword, engine, location_code, language_code, device, mode ' +
      'or target_domain makes the next run a silent baseline. Another number of pages does not: only the results ' +
      'that both checks cover are compared.',
    resume:
      'The monitor becomes active with no failures counted, and a run is due at once. An active monitor does not ' +
      'change.',
    run:
      'It uses one run for each of its pages. Also works for a paused monitor. While a run is queued, another ' +
      'request returns the same run.',
  },
  own: { afterCreate: [previewSearchRoute], afterRun: [], afterRuns: [backtestSearchRoute] },
}
