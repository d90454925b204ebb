import { Command } from 'commander'
import { untilStopped } from '../boot/process/until-stopped.ts'
import { readSettings } from '../boot/settings/read-config.ts'
import { missingForRunner } from '../boot/settings/runner-issues.ts'
import { startRunner } from '../boot/parts/runner-parts.ts'

/** Settings that open the store and decrypt its secrets. A process that shows untrusted pages must not have them. */
const FORBIDDEN = ['DATABASE_URL', 'TIDEMARK_ENCRYPTION_KEY']

const HELP = `
It needs a worker that has TIDEMARK_RUNNER_API_PORT, and no database: DATABASE_URL and TIDEMARK_ENCRYPTION_KEY must
not be in its environment.

Exits with 0 after SIGTERM, after TIDEMARK_RUNNER_IDLE_SECONDS without work, and before its token expires; with 77
when its token is refused.

Example:
  $ TIDEMARK_RUNNER_TOKEN=$(npx tidemark admin create-runner-token --job my-runner --json | jq -r .token)
  $ export TIDEMARK_RUNNER_TOKEN; TIDEMARK_RUNNER_API_URL=http://127.0.0.1:8081 npx tidemark runner
`

export const runnerCommand = () =>
  new Command('runner')
    .description(
      'Renders pages and takes pictures for workers, which it contacts over HTTP. Any number can run. Health and ' +
        'metrics are served on TIDEMARK_METRICS_PORT when it is set.',
    )
    .addHelpText('after', HELP)
    .action(async () => {
      const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FORBIDDEN.includes(name)))
      const settings = readSettings(environment, missingForRunner)
      await untilStopped(settings, async (context) => {
        const given = FORBIDDEN.filter((name) => process.env[name])
        if (given.length > 0)
          context.log.warn(
            { settings: given },
            'a runner must not have these settings; remove them from its environment',
          )
        await startRunner(settings, context)
      })
    })
