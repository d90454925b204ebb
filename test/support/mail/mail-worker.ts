import type { SMTPServerOptions } from 'smtp-server'
import { createChannels } from '../../../deliveries/channels/channels.ts'
import type { DeliveryLog } from '../../../deliveries/loop/delivery-log.ts'
import type { DeliveryMetrics } from '../../../deliveries/loop/delivery-metrics.ts'
import { createNoticeLoop } from '../../../deliveries/notices/notice-loop.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Store } from '../../../store/db/client.ts'
import type { SecretBox } from '../../../store/secrets/secret-box.ts'
import { eventually } from '../run/eventually.ts'
import { NO_METRICS } from '../worker/no-delivery-metrics.ts'
import { mailerTo } from './mail-sending.ts'
import { LINKS, type Mailbox, openMailbox } from './mailbox.ts'

/** A mail server, and a worker's loop that sends queued mail to it. */
interface MailWorker extends AsyncDisposable {
  readonly mailbox: Mailbox
  /** Waits for the first mail to this address whose subject fits. */
  letterTo(email: string, subject?: RegExp): Promise<Mailbox['letters'][number]>
}

interface MailWorkerOptions {
  readonly server?: SMTPServerOptions
  readonly log?: DeliveryLog
  readonly metrics?: DeliveryMetrics
}

export async function startMailWorker(
  { store, secrets }: { readonly store: Store; readonly secrets: SecretBox },
  { server = {}, log = SILENT, metrics = NO_METRICS }: MailWorkerOptions = {},
): Promise<MailWorker> {
  const mailbox = await openMailbox(server)
  const mailer = mailerTo(`smtp://127.0.0.1:${mailbox.port}`)
  const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: [], neverAllow: [] }))
  const channels = createChannels({ agent, mailer, ...LINKS })
  const sending = { store, secrets, channels, links: LINKS, log, metrics, leaseSeconds: 60, perHost: 5, idleMs: 50 }
  const loop = createNoticeLoop({ ...sending, hasMail: true })
  loop.start()
  return {
    mailbox,
    async letterTo(email, subject = /./) {
      const found = () => mailbox.letters.find(({ to, mail }) => to.includes(email) && subject.test(mail.subject ?? ''))
      const letter = await eventually(
        async () => found(),
        (one) => one !== undefined,
      )
      if (!letter) throw new Error(`no mail to ${email}`)
      return letter
    },
    async [Symbol.asyncDispose]() {
      await loop.drain(0)
      mailer[Symbol.dispose]()
      await agent.destroy()
      await mailbox[Symbol.asyncDispose]()
    },
  }
}

const SILENT: DeliveryLog = { info() {}, warn() {}, error() {} }
