import { untilStopped } from '../../boot/process/until-stopped.ts'
import { startRunner } from '../../boot/roles/start-runner.ts'
import { readSettings } from '../../boot/settings/read-config.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { secretFileOf } from '../../schema/config/secret-settings.ts'
import { RUNNER_RULES } from '../../schema/config/setting-rules.ts'

/** Settings that open the store and decrypt its secrets. A process that shows untrusted pages must not have them. */
const FORBIDDEN = (['DATABASE_URL', 'TIDEMARK_ENCRYPTION_KEY'] as const).flatMap((name) => [name, secretFileOf(name)])

/** Renders pages for workers, until a signal comes. */
export async function runner(io: ProcessIo): Promise<void> {
  const environment = Object.fromEntries(Object.entries(io.env).filter(([name]) => !FORBIDDEN.includes(name)))
  const read = () => readSettings(environment, RUNNER_RULES)
  const settings = read()
  await untilStopped({ settings, read }, async (context) => {
    const given = FORBIDDEN.filter((name) => io.env[name])
    if (given.length > 0)
      context.log.warn({ settings: given }, 'a runner must not have these settings; remove them from its environment')
    await startRunner(settings, { ...context, tokenFile: io.env[secretFileOf('TIDEMARK_RUNNER_TOKEN')] || null })
  })
}
