import { KINDS } from '../../boot/kinds.ts'
import { dashboardUrlOf } from '../../boot/parts/dashboard-url.ts'
import { announce } from '../../boot/process/announce.ts'
import { createHealth } from '../../boot/process/health.ts'
import { runProcess } from '../../boot/process/run-process.ts'
import { serveHealth } from '../../boot/process/serve-health.ts'
import { startWorker } from '../../boot/roles/start-worker.ts'
import { NotMigratedError } from '../../boot/settings/database-errors.ts'
import type { HealthServer } from '../../platform/health-server.ts'
import { loadPlaywright } from '../../runners/browser/chromium/one-browser.ts'
import { isMigrated } from '../../store/db/migrate.ts'

/** Runs checks and deliveries, until a signal comes. */
export const worker = (): Promise<void> =>
  runProcess({
    command: 'worker',
    isPart: true,
    ports: ['TIDEMARK_RUNNER_API_PORT', 'TIDEMARK_METRICS_PORT'],
    run: async (context) => {
      if (!(await isMigrated(context.databaseUrl))) throw new NotMigratedError()
      // Closed last: a worker that drains still reports its health.
      let server: HealthServer | undefined
      context.stack.defer('metrics', () => server?.close())
      if (context.browsers) await loadPlaywright()
      const dashboardUrl = dashboardUrlOf(context.settings, context.settings.TIDEMARK_BASE_URL ?? null)
      const worker = await startWorker({ ...context, kinds: KINDS, dashboardUrl })
      server = await serveHealth(createHealth({ ...context, ...worker }), context)
      announce(context.log, 'Tidemark is checking and delivering.')
      context.ready('Checking and delivering')
    },
  })
