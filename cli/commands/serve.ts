import { Command } from 'commander'
import { ensureFirstOwner } from '../../store/accounts/accounts.ts'
import { migrate } from '../../store/db/migrate.ts'
import { startApi } from '../boot/parts/api-parts.ts'
import { runProcess } from '../boot/process/run-process.ts'
import { startWorker, type Worker } from '../boot/parts/worker-parts.ts'
import { banner } from '../boot/process/banner.ts'

/** The e-mail address of an installation's first owner. It is only used to sign in; no mail is sent to it. */
const FIRST_OWNER = 'owner@tidemark.local'

export const serveCommand = () =>
  new Command('serve')
    .description(
      'Runs everything in one process: migrations, API, checks and deliveries; with an embedded Postgres unless ' +
        'DATABASE_URL is set.',
    )
    .addHelpText('after', '\nExample:\n  $ PORT=9000 TIDEMARK_ALLOW_PRIVATE_CIDRS=10.0.0.0/8 npx tidemark serve\n')
    .action(() =>
      runProcess({
        command: 'serve',
        run: async (context) => {
          await migrate(context.databaseUrl)
          let worker: Worker | undefined
          const api = await startApi({
            ...context,
            wake: () => worker?.wake(),
            sinceProgress: () => worker?.sinceProgress() ?? 0,
          })
          worker = await startWorker(context)
          const owner = await ensureFirstOwner(worker.store, FIRST_OWNER, api.services.sessionKey)
          process.stdout.write(
            banner({
              address: api.services.baseUrl,
              owner,
              databaseFolder: context.databaseFolder,
              dataDir: context.settings.TIDEMARK_DATA_DIR,
            }),
          )
        },
      }),
    )
