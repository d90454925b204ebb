import { discordMessage } from '../messages/discord-message.ts'
import { type Channel, channelOf } from './channel.ts'
import { type ChatOptions, prepareChat } from './prepare-chat.ts'

/** Sends an embed to a webhook of Discord. */
export const createDiscordChannel = (options: ChatOptions): Channel<'discord'> =>
  channelOf((message) => prepareChat(options, discordMessage, message))
