import { destinationsOfApprise, mailTo } from './apprise.ts'
import { headersOf, parsed, textOf, type Values } from './imported.ts'
import { PUSHOVER_ADDRESS, telegramAddress, toService, validDeliveries } from './valid-deliveries.ts'

/** Returns the destinations of a notification; null where it is of another service, or incomplete. */
export function uptimeKumaDestinations(settings: Values): readonly object[] | null {
  const type = textOf(settings['type'])
  const found = Object.hasOwn(BY_TYPE, type) ? (BY_TYPE[type]?.(settings) ?? null) : null
  const valid = found === null ? [] : validDeliveries(found)
  return valid.length === 0 ? null : valid
}

/** Where somebody writes the words, by the type of a notification. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  discord: ['discordPrefixMessage'],
  smtp: ['customSubject', 'customBody'],
  telegram: ['telegramTemplate'],
  webhook: ['webhookCustomBody'],
}

/** Returns whether somebody wrote the words of a notification. They are of states, and messages here are of changes. */
export function hasOwnWords(settings: Values): boolean {
  const type = textOf(settings['type'])
  // They stay stored where they are turned off.
  if (type === 'telegram' && settings['telegramUseTemplate'] !== true) return false
  if (type === 'webhook' && settings['webhookContentType'] !== 'custom') return false
  return Object.hasOwn(WORDS, type) && (WORDS[type] ?? []).some((key) => textOf(settings[key]) !== '')
}

const to = (...about: Parameters<typeof toService>): readonly object[] => [toService(...about)]

/** The destinations of a notification by its type. Null: it has no equivalent. */
const BY_TYPE: Readonly<Record<string, (settings: Values) => readonly object[] | null>> = {
  discord: (settings) => [{ type: 'discord', webhookUrl: textOf(settings['discordWebhookUrl']) }],
  slack: (settings) => [{ type: 'slack', webhookUrl: textOf(settings['slackwebhookURL']) }],
  webhook: (settings) => [{ type: 'webhook', url: textOf(settings['webhookURL']), ...webhookHeaders(settings) }],
  smtp: (settings) => mailTo(['smtpTo', 'smtpCC', 'smtpBCC'].map((key) => textOf(settings[key])).join(',')),
  apprise: (settings) => destinationsOfApprise(textOf(settings['appriseURL'])),
  telegram: (settings) =>
    to('telegram', telegramAddress(textOf(settings['telegramBotToken'])), {
      chat_id: settings['telegramChatID'],
      message_thread_id: settings['telegramMessageThreadID'],
      disable_notification: settings['telegramSendSilently'] === true ? 'true' : '',
    }),
  matrix: (settings) =>
    to('matrix', textOf(settings['homeserverUrl']), {
      room_id: settings['internalRoomId'],
      access_token: settings['accessToken'],
    }),
  mattermost: (settings) =>
    to('mattermost', textOf(settings['mattermostWebhookUrl']), {
      channel: settings['mattermostchannel'],
      username: settings['mattermostusername'],
    }),
  'rocket.chat': (settings) =>
    to('rocket_chat', textOf(settings['rocketwebhookURL']), {
      channel: settings['rocketchannel'],
      alias: settings['rocketusername'],
    }),
  GoogleChat: (settings) => to('google_chat', textOf(settings['googleChatWebhookURL'])),
  teams: (settings) => to('teams', textOf(settings['webhookUrl'])),
  ntfy: (settings) => {
    // A sign-in by a password has no equivalent.
    if (settings['ntfyAuthenticationMethod'] === 'usernamePassword') return null
    return to('ntfy', textOf(settings['ntfyserverurl']), {
      topic: settings['ntfytopic'],
      token: settings['ntfyAuthenticationMethod'] === 'accessToken' ? settings['ntfyaccesstoken'] : '',
      priority: settings['ntfyPriority'],
    })
  },
  gotify: (settings) =>
    to('gotify', textOf(settings['gotifyserverurl']), {
      token: settings['gotifyapplicationToken'],
      priority: settings['gotifyPriority'],
    }),
  pushover: (settings) =>
    to('pushover', PUSHOVER_ADDRESS, {
      token: settings['pushoverapptoken'],
      user: settings['pushoveruserkey'],
      device: settings['pushoverdevice'],
      priority: settings['pushoverpriority'],
      sound: settings['pushoversounds'],
    }),
  PagerDuty: (settings) =>
    to('pagerduty', textOf(settings['pagerdutyIntegrationUrl']), {
      routing_key: settings['pagerdutyIntegrationKey'],
      severity: settings['pagerdutyPriority'],
    }),
}

function webhookHeaders(settings: Values): object {
  const headers = headersOf(parsed(settings['webhookAdditionalHeaders']), () => {})
  return headers === null ? {} : { headers }
}
