import Type from 'typebox'
import { PAGE } from '../../../monitors/kinds/page-kind.ts'
import { Monitor, MonitorCreate, monitorQuery, type MonitorSpec } from '../../../schema/monitor/monitor.ts'
import type { MonitorRow } from '../../../store/monitors/kinds/page-table.ts'
import { PAGE_SERIES } from '../../../store/runs/series-table.ts'
import { listVisualHistoryRoute } from './images.ts'
import { backtestMonitorRoute, previewMonitorRoute } from './monitor-trials.ts'
import type { ServedKind } from './served-kind.ts'

/** Monitors of pages, APIs and feeds. */
export const PAGES: ServedKind<MonitorSpec, MonitorRow> = {
  kind: PAGE,
  path: `/v1/${PAGE.resource.collection}`,
  noun: 'monitor',
  tag: 'Monitors',
  record: Monitor,
  create: MonitorCreate,
  query: {
    ...monitorQuery,
    visual: Type.Optional(
      Type.Boolean({ description: 'true: only monitors with the visual layer; false: only those without.' }),
    ),
  },
  series: PAGE_SERIES,
  describes: {
    create: 'Its first run is due at once and is a silent baseline.',
    edit:
      'Each key in the body replaces the whole stored value; null clears a nullable key. A change of url, ' +
      'extract_config, request_config, request_headers, fetch_mode or visual_config makes the next run a silent ' +
      'baseline.',
    resume: 'The monitor becomes active, and a run is due at once. An active monitor does not change.',
    run: 'Also works for a paused monitor. While a run is queued, another request returns the same run.',
  },
  own: {
    afterCreate: [previewMonitorRoute],
    afterRun: [],
    afterRuns: [listVisualHistoryRoute, backtestMonitorRoute],
  },
}
