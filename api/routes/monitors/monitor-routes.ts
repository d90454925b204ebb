import type { Route } from '../../http/route.ts'
import { backtestMonitorRoute } from './backtest-monitor.ts'
import { bulkMonitorsRoute } from './bulk-monitors.ts'
import { createMonitorRoute } from './create-monitor.ts'
import { deleteMonitorRoute } from './delete-monitor.ts'
import { editMonitorRoute } from './edit-monitor.ts'
import { getMonitorRoute } from './get-monitor.ts'
import { listMonitorRunsRoute } from './list-monitor-runs.ts'
import { listVisualHistoryRoute } from './list-visual-history.ts'
import { listMonitorsRoute } from './list-monitors.ts'
import { manifestMonitorRoute } from './manifest-monitor.ts'
import { pauseMonitorRoute } from './pause-monitor.ts'
import { previewMonitorRoute } from './preview-monitor.ts'
import { readSigningSecretRoute } from './read-signing-secret.ts'
import { resumeMonitorRoute } from './resume-monitor.ts'
import { rotateSigningSecretRoute } from './rotate-signing-secret.ts'
import { runMonitorRoute } from './run-monitor.ts'

/** Spec, Endpoints, Monitors. */
export const monitorRoutes: readonly Route[] = [
  listMonitorsRoute,
  createMonitorRoute,
  previewMonitorRoute,
  getMonitorRoute,
  editMonitorRoute,
  deleteMonitorRoute,
  pauseMonitorRoute,
  resumeMonitorRoute,
  runMonitorRoute,
  bulkMonitorsRoute,
  listMonitorRunsRoute,
  listVisualHistoryRoute,
  backtestMonitorRoute,
  manifestMonitorRoute,
  readSigningSecretRoute,
  rotateSigningSecretRoute,
]
