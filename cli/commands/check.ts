import { egressPolicy } from '../../boot/parts/egress.ts'
import { readSettings, type Settings, SettingsError } from '../../boot/settings/read-config.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import { print, tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { readEndpoints } from '../../runners/serp/endpoints.ts'
import { configurationOf } from '../check/configuration.ts'
import type { CheckOptions } from '../check/options.ts'
import { type CheckOutput, runCheck } from '../check/run-check.ts'
import type { SearchOptions } from '../check/run-search.ts'
import { isWebAddress } from '../check/source.ts'
import { UsageError } from '../check/usage-error.ts'
import { formOf, type OutputOptions } from '../output.ts'

/** Runs `tidemark check serp`. Returns what is wrong with the command line; null when it could be used. */
export async function checkSerp(io: ProcessIo, keyword: string, options: SearchOptions): Promise<string | null> {
  const settings = readSettings(io.env)
  const egress = egressPolicy(settings)
  try {
    // A check of a page needs none of its code.
    const { runSearch, searchOf } = await import('../check/run-search.ts')
    const search = searchOf(keyword, options)
    const browsers = await openBrowsers(settings, egress)
    if (!browsers) throw noBrowser('a search')
    const endpoints = readEndpoints(settings.TIDEMARK_SERP_ENDPOINTS)
    if (typeof endpoints === 'string') return `TIDEMARK_SERP_ENDPOINTS ${endpoints}`
    try {
      const isSuccess = await runSearch(search, options.target ?? null, outputOf(io, options), { browsers, endpoints })
      if (!isSuccess) io.exitCode = 1
      return null
    } finally {
      await browsers.close()
    }
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

const outputOf = (io: ProcessIo, options: OutputOptions): CheckOutput => ({
  io,
  form: formOf(options),
  out: (text) => print(io, text),
  err: (text) => tell(io, text),
})

const silentLog = async () => (await import('../../core/logger.ts')).createLogger('silent')

async function openBrowsers(settings: Settings, egress: EgressPolicy): Promise<Browsers | null> {
  const { browsersOf } = await import('../../boot/parts/browsers.ts')
  return browsersOf({ settings, egress, log: await silentLog() })
}

const noBrowser = (what: string) =>
  new SettingsError([{ path: 'TIDEMARK_BROWSER_PAGES', message: `is 0, and ${what} needs the browser; unset it` }])

/** Runs `tidemark check`. Returns what is wrong with the command line; null when it could be used. */
export async function check(io: ProcessIo, targets: readonly string[], options: CheckOptions): Promise<string | null> {
  const settings = readSettings(io.env)
  const egress = egressPolicy(settings)
  // Most checks need neither a browser nor a model, and their code takes longer to load than the check.
  let opening: Promise<Browsers | null> | undefined
  const browser: Pick<Browsers, 'render'> | null = settings.TIDEMARK_BROWSER_PAGES > 0 ? { render } : null
  // Two checks from a terminal share no cache, and no plan counts them.
  const prompts =
    settings.LLM_BASE_URL === undefined
      ? null
      : (await import('../../boot/parts/model.ts')).promptsOf(settings, { store: null, log: await silentLog() })
  try {
    if (options.watch)
      await (await import('../check/watch-checks.ts')).watchChecks(targets, options, outputOf(io, options), once)
    else await once(outputOf(io, options))
    return null
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  } finally {
    await Promise.all([prompts?.close(), opening?.then((browsers) => browsers?.close())])
  }

  async function once(output: CheckOutput): Promise<void> {
    const configuration = await configurationOf(io, targets, options, egress)
    if (!browser && configuration.spec.fetch_mode === 'browser' && configuration.targets.some(isWebAddress))
      throw noBrowser('rendering')
    const means = { prompts, ...(browser && { browser }) }
    const run = options.outline ? (await import('../check/run-outline.ts')).runOutline : runCheck
    const isSuccess = await run(configuration, egress, output, means)
    if (!isSuccess) io.exitCode = 1
  }

  async function render(...asked: Parameters<Browsers['render']>) {
    const browsers = await (opening ??= openBrowsers(settings, egress))
    if (!browsers) throw new TypeError('this process renders nothing')
    return browsers.render(...asked)
  }
}
