import type { Logger } from '../../core/logger.ts'
import { hasTerminal } from '../../platform/has-terminal.ts'
import type { ServiceManager } from '../../platform/service-manager.ts'

/** Something that is read again when the process is reloaded. */
interface Reloaded {
  readonly name: string
  /** Resolves with whether all that it read is valid. What is not changes nothing, and the log says why. */
  again(): Promise<boolean>
}

/** What a process reads again at SIGHUP. */
export interface Reloads {
  add(reloaded: Reloaded): void
  /** The process has started: `status` says so to systemd. A reload that came before begins. */
  ready(status: string): void
  /** Reads everything again. A request during that is done behind it. */
  request(): void
}

interface ReloadsContext {
  readonly log: Logger
  readonly service: ServiceManager
  readonly stopping: AbortSignal
}

/**
 * Returns what reads again at SIGHUP. In a terminal there is no reload: SIGHUP also says that the terminal was closed,
 * and ends the process as it ends any other.
 */
export function createReloads({ log, service, stopping }: ReloadsContext): Reloads {
  const parts: Reloaded[] = []
  let status: string | null = null
  let isWanted = false
  let isUnderWay = false

  async function reload(): Promise<void> {
    void service.reloading()
    log.info('reloading')
    const refused: string[] = []
    for (const part of parts) if (!(await isRead(part))) refused.push(part.name)
    if (refused.length === 0) log.info('reloaded')
    else log.error({ refused }, 'not all was reloaded: correct what the lines above name, and send SIGHUP again')
    const words = refused.length === 0 ? '' : `; the last reload refused ${refused.join(' and ')}, see the log`
    void service.ready(`${status}${words}`)
  }

  async function isRead({ name, again }: Reloaded): Promise<boolean> {
    try {
      return await again()
    } catch (err) {
      log.error({ err }, `${name} could not be read again`)
      return false
    }
  }

  async function whileWanted(): Promise<void> {
    if (isUnderWay || status === null) return
    isUnderWay = true
    while (isWanted && !stopping.aborted) {
      isWanted = false
      await reload()
    }
    isUnderWay = false
  }

  function request(): void {
    isWanted = true
    void whileWanted()
  }

  if (!hasTerminal()) process.on('SIGHUP', request)
  return {
    add: (reloaded) => void parts.push(reloaded),
    ready(text) {
      status = text
      void service.ready(text)
      void whileWanted()
    },
    request,
  }
}
