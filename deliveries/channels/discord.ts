import { discordMessage } from '../messages/discord-message.ts'
import type { Channel } from './channel.ts'
import { type ChatOptions, sendChat } from './send-chat.ts'

/** Sends an embed to a webhook of Discord. */
export function createDiscordChannel(options: ChatOptions): Channel<'discord'> {
  return {
    send: ({ id, team, config, payload }, ctx) =>
      sendChat(options, discordMessage, { id, team, payload, url: config.webhookUrl }, ctx),
  }
}
