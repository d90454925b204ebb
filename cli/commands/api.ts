import { KINDS } from '../../boot/kinds.ts'
import { announce } from '../../boot/process/announce.ts'
import { runProcess } from '../../boot/process/run-process.ts'
import { startApi } from '../../boot/roles/start-api.ts'
import { NotMigratedError } from '../../boot/settings/database-errors.ts'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { isMigrated } from '../../store/db/migrate.ts'

/**
 * The API serves requests for this long after SIGTERM, and reports that it is not ready. A balancer that checks
 * readiness has this time to stop sending requests.
 */
const LINGER_MS = 5_000

/** Runs the API, until a signal comes. */
export const api = (): Promise<void> =>
  runProcess({
    command: 'api',
    isPart: true,
    ports: ['PORT', 'TIDEMARK_METRICS_PORT'],
    run: async (context) => {
      if (!(await isMigrated(context.databaseUrl))) throw new NotMigratedError()
      const api = await startApi({ ...context, kinds: KINDS, wake: () => {}, sinceProgress: null })
      const { stack, stopping } = context
      stack.defer('the wait for balancers', () => (stopping.reason === 'SIGTERM' ? sleep(LINGER_MS) : undefined))
      announce(context.log, `Tidemark's API is running at ${api.services.baseUrl}`)
      context.ready(`Ready at ${api.services.baseUrl}`)
    },
  })
