import { Command } from 'commander'
import { isMigrated } from '../../store/migrate.ts'
import { startApi } from '../api-parts.ts'
import { NotMigratedError } from '../needs-database-url.ts'
import { runProcess } from '../process-world.ts'

export const apiCommand = () =>
  new Command('api')
    .description('Answers the API alone, over DATABASE_URL. Run as many as you like.')
    .addHelpText('after', '\nExample:\n  $ DATABASE_URL=postgres://… TIDEMARK_ENCRYPTION_KEY=… npx tidemark api\n')
    .action(() =>
      runProcess({
        command: 'api',
        isPart: true,
        run: async (world) => {
          if (!(await isMigrated(world.databaseUrl))) throw new NotMigratedError()
          const api = await startApi({ ...world, poke: () => {}, sinceProgress: null })
          process.stdout.write(`Tidemark's API is running at ${api.services.baseUrl}\n`)
        },
      }),
    )
