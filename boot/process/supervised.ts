import type { Logger } from '../../core/logger.ts'
import { createServiceManager, type ServiceManager } from '../../platform/service-manager.ts'
import type { Stack } from './stack.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns what tells systemd about this process, where systemd has started it. */
export const supervisorOf = ({ NOTIFY_SOCKET: socket }: Environment, log: Logger): ServiceManager =>
  createServiceManager({
    socket,
    onFault: (why) =>
      log.warn(
        { why },
        'NOTIFY_SOCKET is set, but the program systemd-notify could not send a message: install it (it comes with ' +
          'systemd), or set Type=exec without WatchdogSec in the unit',
      ),
  })

/**
 * Tells systemd that this process works, twice in the time of WatchdogSec. The messages stay out when its event loop is
 * stuck. Another start would not bring back a database that is away, so nothing else is asked.
 */
export function keepWatchdogQuiet(environment: Environment, service: ServiceManager, stack: Stack): void {
  const { WATCHDOG_USEC: time, WATCHDOG_PID: pid } = environment
  const everyMs = Math.floor(Number(time) / 2_000)
  // A parent's watchdog is not about this process.
  const isOthers = pid !== undefined && pid !== '' && Number(pid) !== process.pid
  if (!(everyMs > 0) || isOthers) return
  const timer = setInterval(() => void service.alive(), everyMs)
  stack.defer('the watchdog', () => clearInterval(timer))
}
