import { Command } from 'commander'
import { untilStopped } from '../boot/process/until-stopped.ts'
import { readSettings } from '../boot/settings/read-config.ts'
import { startRunner } from '../boot/parts/runner-parts.ts'

/** What opens the store and what lies in it: a process that shows strangers' pages has no use for them. */
const NOT_OURS = ['DATABASE_URL', 'TIDEMARK_ENCRYPTION_KEY']

const HELP = `
It needs a worker that has TIDEMARK_LANE_PORT, and no database: DATABASE_URL and TIDEMARK_ENCRYPTION_KEY do not belong into its environment.

Exits with 0 after SIGTERM, after TIDEMARK_RUNNER_IDLE_SECONDS without anything to do, and before its token ends; with 77 when its token is refused.

Example:
  $ TIDEMARK_RUNNER_TOKEN=$(npx tidemark admin create-runner-token --job my-runner --json | jq -r .token)
  $ export TIDEMARK_RUNNER_TOKEN; TIDEMARK_LANE_URL=http://127.0.0.1:8081 npx tidemark runner
`

export const runnerCommand = () =>
  new Command('runner')
    .description(
      'Renders pages and takes pictures for workers, which it asks over HTTP. Run as many as you like. Health and ' +
        'metrics are served on TIDEMARK_METRICS_PORT when it is set.',
    )
    .addHelpText('after', HELP)
    .action(async () => {
      const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_OURS.includes(name)))
      const settings = readSettings(environment)
      await untilStopped(settings, async (context) => {
        const given = NOT_OURS.filter((name) => process.env[name])
        if (given.length > 0)
          context.log.warn({ settings: given }, 'a runner needs none of these; take them out of its environment')
        await startRunner(settings, context)
      })
    })
