import type { Dispatcher } from 'undici'
import type { Mailer } from '../mail/mailer.ts'
import type { Channels } from './channel.ts'
import { createDiscordChannel } from './discord.ts'
import { createEmailChannel } from './email.ts'
import type { MessagePictures } from './message-pictures.ts'
import { createServiceChannel } from './service.ts'
import { createSlackChannel } from './slack.ts'

/** The parts that the channels of this installation use. */
interface ChannelOptions {
  /** A guarded agent (`egress/guarded-agent.ts`), not shared with checks. */
  readonly agent: Dispatcher
  /** Null where `SMTP_URL` is not set: mails then fail with an explanation, and can be replayed once it is set. */
  readonly mailer: Mailer | null
  /** The address that links in messages start with (`TIDEMARK_DASHBOARD_URL`). Null: messages have no such links. */
  readonly dashboardUrl: string | null
  /** Absent: messages hold no pictures. */
  readonly pictures?: MessagePictures | undefined
}

/** Returns the channels of this version, one for each type that a monitor can name. */
export function createChannels({ agent, mailer, dashboardUrl, pictures }: ChannelOptions): Channels {
  const links = { dashboardUrl }
  return {
    webhook: createServiceChannel({ agent, links }),
    slack: createSlackChannel({ agent, links, pictures }),
    discord: createDiscordChannel({ agent, links, pictures }),
    email: createEmailChannel({ mailer, links, pictures }),
  }
}
