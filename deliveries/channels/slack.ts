import { slackMessage } from '../messages/slack-message.ts'
import type { Channel } from './channel.ts'
import { type ChatOptions, sendChat } from './send-chat.ts'

/** Sends Block Kit to an incoming webhook of Slack, or of a service that accepts the same format. */
export function createSlackChannel(options: ChatOptions): Channel<'slack'> {
  return {
    send: ({ id, team, config, payload }, ctx) =>
      sendChat(options, slackMessage, { id, team, payload, url: config.webhookUrl }, ctx),
  }
}
