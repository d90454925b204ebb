import { slackMessage } from '../messages/slack-message.ts'
import { type Channel, channelOf } from './channel.ts'
import { type ChatOptions, prepareChat } from './prepare-chat.ts'

/** Sends Block Kit to an incoming webhook of Slack, or of a service that accepts the same format. */
export const createSlackChannel = (options: ChatOptions): Channel<'slack'> =>
  channelOf((message) => prepareChat(options, slackMessage, message))
