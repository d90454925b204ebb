import { afterAttempt } from '../../core/machine/delivery.ts'
import { DELIVERY_TIMEOUT_MS } from '../../schema/run/delivery.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { storeFault } from '../../store/deliveries/delivery-fault.ts'
import { type ClaimedNotice, claimNotices, recordNotice, releaseNotice } from '../../store/deliveries/notices.ts'
import { createWakeableLoop } from '../../concurrency/wakeable-loop.ts'
import type { DeliveryLog } from '../loop/delivery-log.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { MailResult } from '../mail/mail-result.ts'
import type { Links } from '../messages/links.ts'
import { noticeMail } from './notice-mail.ts'

interface NoticeLoopOptions {
  readonly store: Store
  readonly mailer: Mailer
  readonly links: Links
  readonly log: DeliveryLog
  /** How often an idle loop looks, in milliseconds. Default 1,000. */
  readonly idleMs?: number
}

/** Sends the mails about monitors that fail and recover. */
export interface NoticeLoop {
  start(): void
  /** Looks for notices now, because one was written. */
  wake(): void
  /** Aborts the sending and gives its notices back. Never rejects. */
  drain(): Promise<void>
}

const LEASE_SECONDS = 60
/** The most mails sent at once; the next claim follows when these are done. */
const AT_ONCE = 5

/**
 * Claims, sends and records like the delivery loop and by the same schedule. There are only a handful of mails a day,
 * so one small loop is enough. Delivery is at least once: if a process dies between sending and recording, the notice
 * is sent again with the same Message-ID.
 */
export function createNoticeLoop({ store, mailer, links, log, idleMs = 1_000 }: NoticeLoopOptions): NoticeLoop {
  const loop = createWakeableLoop({
    async work(signal) {
      const claimed = await claimNotices(store, { limit: AT_ONCE, leaseSeconds: LEASE_SECONDS })
      await Promise.all(claimed.map((notice) => send(notice, signal)))
      return claimed.length === 0 ? idleMs : 0
    },
    onFault(err) {
      if (storeOutage(log).covers(err, 'claims of notices')) return
      log.warn({ reason: storeFault(err) }, 'the store refuses a claim of notices; trying again')
    },
    faultPauses: { firstMs: idleMs, longestMs: idleMs },
  })

  async function send(notice: ClaimedNotice, signal: AbortSignal): Promise<void> {
    const limits = { deadlineMs: DELIVERY_TIMEOUT_MS, signal }
    const to = notice.email
    const result: MailResult =
      to === null ? { kind: 'unsendable' } : await mailer.send(noticeMail(notice, to, links), limits)
    if (result.kind === 'aborted') return releaseNotice(store, notice)
    if (result.kind === 'failed')
      log.warn({ reason: result.reason, notice_id: notice.id }, 'the mail server did not accept a notice')
    const attempts = notice.attempts + 1
    const { status, retry_after_seconds } = afterAttempt({ attempts, outcome: outcomeOf(result), now: Date.now() })
    const response = result.kind === 'unsendable' ? 'not an address' : (result.reply?.slice(0, 1000) ?? null)
    await recordNotice(store, { id: notice.id, fence: notice.fence, status, attempts, retry_after_seconds, response })
  }

  return {
    start: () => loop.start(),
    wake: () => loop.wake(),
    drain: () => loop.stop(),
  }
}

function outcomeOf(result: Exclude<MailResult, { kind: 'aborted' }>) {
  if (result.kind === 'taken') return 'success'
  return result.kind === 'unsendable' || result.reason === 'refused' ? 'client_error' : 'server_error'
}
