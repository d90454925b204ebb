import type { Logger } from '../../core/logger.ts'
import { LIVE_SECRETS, SECRET_SETTINGS, secretFileOf } from '../../schema/config/secret-settings.ts'
import { SettingsError, type Settings } from './read-config.ts'

/**
 * Reads the settings again by `read`: of a running process only the files of secrets can differ. The values of
 * LIVE_SECRETS are put into `settings`, where they are used from now on; the log names the others, which stay as they
 * are. Returns false when a setting is not valid: then nothing is changed.
 */
export function rereadSecrets(settings: Settings, read: () => Settings, log: Logger): boolean {
  let now: Settings
  try {
    now = read()
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    for (const { path, message } of error.issues) log.error({ setting: path }, `${path} ${message}`)
    log.error('no setting was changed: correct the files that the lines above name, and send SIGHUP again')
    return false
  }
  const changed = SECRET_SETTINGS.filter((name) => name !== RENEWED && now[name] !== settings[name])
  const live = changed.filter((name) => LIVE.has(name))
  Object.assign(settings, Object.fromEntries(live.map((name) => [name, now[name]])))
  for (const name of live) log.info({ setting: secretFileOf(name) }, 'the file was read again, and its value is used')
  for (const name of changed.filter((one) => !LIVE.has(one)))
    log.warn({ setting: secretFileOf(name) }, 'the file has changed, which takes effect at the next start')
  return true
}

/** The runner writes this file itself, and looks at it every two seconds. */
const RENEWED = 'TIDEMARK_RUNNER_TOKEN'

const LIVE: ReadonlySet<string> = new Set(LIVE_SECRETS)
