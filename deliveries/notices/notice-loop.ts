import { createWakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { storeFault } from '../../store/deliveries/delivery-fault.ts'
import { notifyOfEvents } from '../../store/deliveries/notify-of-events.ts'
import { createDeliveryLoop, type DeliveryLoop, type DeliveryLoopOptions } from '../loop/delivery-loop.ts'
import { noticesOf } from './notices-of.ts'

interface NoticeLoopOptions extends Omit<DeliveryLoopOptions, 'outbox'> {
  /** This installation can send mail. Without it, owners are not notified. */
  readonly hasMail: boolean
}

/** Events wait for at most this long. */
const IDLE_MS = 1_000

/**
 * Tells what happened to monitors and teams. First it makes the messages of an event, one for each recipient, in one
 * transaction. The delivery loop then sends them as it sends deliveries: leased, fenced, signed and by the same
 * schedule of attempts.
 */
export function createNoticeLoop(options: NoticeLoopOptions): DeliveryLoop {
  const { store, secrets, log, metrics, hasMail, idleMs = IDLE_MS } = options
  const sending = createDeliveryLoop({ concurrency: 32, ...options, idleMs, outbox: 'notices' })
  const refused: Parameters<typeof notifyOfEvents>[2] = ({ id, kind, team_id, monitor_no }, err, isGivenUp) => {
    if (isGivenUp) metrics.gaveUp(kind)
    const end = isGivenUp ? 'it is given up, and nobody is notified' : 'it is tried again in a few minutes'
    const about = { event_id: id, kind, team_id, monitor_no, reason: storeFault(err) }
    log.error(about, `the messages of a notice could not be made; ${end}`)
  }
  const making = createWakeableLoop({
    async work() {
      const events = await notifyOfEvents(store, (event) => noticesOf(event, { secrets, hasMail, log }), refused)
      if (events > 0) sending.wake()
      return events > 0 ? 0 : idleMs
    },
    onFault(err) {
      if (storeOutage(log).covers(err, 'claims of notices')) return
      log.warn({ reason: storeFault(err) }, 'the store did not answer about notices; trying again')
    },
    faultPauses: { firstMs: idleMs, longestMs: idleMs },
  })
  return {
    start() {
      making.start()
      sending.start()
    },
    wake() {
      making.wake()
      sending.wake()
    },
    drain: async (graceMs) => void (await Promise.all([making.stop(), sending.drain(graceMs)])),
  }
}
