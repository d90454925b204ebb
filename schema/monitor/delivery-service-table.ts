import type { DeliveryService } from './delivery-service.ts'
import { CHANNEL, KEY, KEY_TAKES, LINE, LINE_TAKES, oneOf, SENDER, TOKEN, TOKEN_TAKES } from './option-values.ts'

const PLACE = { isNeeded: true, isAddress: true } as const
const PACED_PLACE = { ...PLACE, isPaced: true } as const

/**
 * The services that a delivery of type `webhook` can name. Validation, the rules of custom resources, the pace and the
 * manual come from this table; `deliveries/services/` writes the requests.
 */
export const DELIVERY_SERVICES = {
  teams: {
    label: 'Microsoft Teams',
    options: {},
    limit: { most: 20_000, unit: 'bytes' },
    everyMs: 250,
    takesHeaders: false,
    url: 'https://prod-1.westeurope.logic.azure.com/workflows/0123/triggers/manual/paths/invoke?sig=0123',
    address:
      'In Teams, open the Workflows of the channel or chat and add the one that posts to it when a webhook request ' +
      'is received. It shows its address once it is saved.',
    lacks: 'A message is an Adaptive Card of text. It mentions nobody, and has no picture.',
  },
  telegram: {
    label: 'Telegram',
    options: {
      chat_id: {
        ...PACED_PLACE,
        pattern: '^(-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})$',
        takes: 'a number, or @ and the name of a channel',
        says: 'The chat, group or channel.',
        example: '-1001234',
      },
      message_thread_id: {
        isAddress: true,
        pattern: '^[0-9]{1,20}$',
        takes: 'a number',
        says: 'The topic of a group that has topics.',
        example: '7',
      },
      disable_notification: { ...oneOf('true', 'false'), says: '`true`: the message makes no sound.', example: 'true' },
    },
    limit: { most: 4_096, unit: 'characters' },
    everyMs: 3_000,
    takesHeaders: false,
    url: 'https://api.telegram.org/bot0123:TOKEN/sendMessage',
    address:
      'Ask @BotFather for a bot, and write its token into the address. Add the bot to the chat; the id of the chat ' +
      'is in the answer of `getUpdates` once somebody has written there.',
    lacks: 'Values stand in a fixed-width font, in which Telegram makes neither links nor mentions.',
  },
  matrix: {
    label: 'Matrix',
    options: {
      room_id: {
        ...PLACE,
        pattern: '^![!-~]{1,254}$',
        takes: 'the id of a room, which begins with !',
        says: 'The room.',
        example: '!abc:example.com',
      },
      // A homeserver counts the messages of an account in all of its rooms.
      access_token: {
        isNeeded: true,
        isSecret: true,
        isPaced: true,
        pattern: TOKEN,
        takes: TOKEN_TAKES,
        says: 'The access token of the account that writes.',
        example: 'syt_0123',
      },
    },
    limit: { most: 20_000, unit: 'bytes' },
    everyMs: 5_000,
    takesHeaders: true,
    url: 'https://matrix.example.com',
    address:
      'The address is that of the homeserver. Make an account for Tidemark, let it join the room, and take the id of ' +
      'the room from its settings. Rooms must not be encrypted.',
    lacks: 'It cannot write to encrypted rooms.',
  },
  mattermost: {
    label: 'Mattermost',
    options: {
      channel: { isAddress: true, pattern: LINE, takes: LINE_TAKES, says: CHANNEL, example: 'town-square' },
      username: { pattern: LINE, takes: LINE_TAKES, says: SENDER, example: 'Kettle watch' },
    },
    limit: { most: 16_000, unit: 'characters' },
    everyMs: null,
    takesHeaders: true,
    url: 'https://mattermost.example.com/hooks/0123',
    address: 'Make an incoming webhook under Integrations; Mattermost shows its address.',
    lacks: 'Names and values stand in a fixed-width font, in which Mattermost makes neither links nor mentions.',
  },
  rocket_chat: {
    label: 'Rocket.Chat',
    options: {
      channel: { isAddress: true, pattern: LINE, takes: LINE_TAKES, says: CHANNEL, example: '#general' },
      alias: { pattern: LINE, takes: LINE_TAKES, says: SENDER, example: 'Kettle watch' },
    },
    limit: { most: 4_800, unit: 'characters' },
    everyMs: null,
    takesHeaders: true,
    url: 'https://rocket.example.com/hooks/0123/0123',
    address: 'Make an incoming integration in the administration of the workspace; Rocket.Chat shows its address.',
    lacks: 'Names and values stand in a fixed-width font, in which Rocket.Chat makes neither links nor mentions.',
  },
  google_chat: {
    label: 'Google Chat',
    options: {
      thread_key: {
        isAddress: true,
        pattern: LINE,
        takes: LINE_TAKES,
        says: 'Messages with the same key are one thread.',
        example: 'kettle',
      },
    },
    limit: { most: 20_000, unit: 'bytes' },
    everyMs: 1_000,
    takesHeaders: false,
    url: 'https://chat.googleapis.com/v1/spaces/0123/messages?key=0123&token=0123',
    address: 'In the space, open Apps and integrations and add a webhook; Google Chat shows its address.',
    lacks: 'A message is a card of text. It mentions nobody, and has no picture.',
  },
  ntfy: {
    label: 'ntfy',
    options: {
      topic: {
        isNeeded: true,
        isSecret: true,
        isAddress: true,
        pattern: '^[-_A-Za-z0-9]{1,64}$',
        takes: '1 to 64 letters, digits, - and _',
        says: 'The topic. Who knows it can read it where the server has no access control.',
        example: 'kettle-7f3a',
      },
      token: {
        isSecret: true,
        pattern: TOKEN,
        takes: TOKEN_TAKES,
        says: 'An access token, where the topic needs one.',
        example: 'tk_0123',
      },
      priority: { ...oneOf('1', '2', '3', '4', '5'), says: 'From 1 (lowest) to 5.', example: '4' },
      tags: {
        pattern: '^[-_+A-Za-z0-9]{1,50}(,[-_+A-Za-z0-9]{1,50}){0,9}$',
        takes: 'up to ten names with commas between them',
        says: 'Tags; some are shown as emoji.',
        example: 'bell',
      },
    },
    limit: { most: 4_000, unit: 'bytes' },
    everyMs: 5_000,
    takesHeaders: true,
    url: 'https://ntfy.example.com',
    address: 'The address is that of the server, without a topic, as in https://ntfy.sh.',
    lacks: 'A message is plain text. A tap on it opens the run.',
  },
  gotify: {
    label: 'Gotify',
    options: {
      token: {
        isNeeded: true,
        isSecret: true,
        isAddress: true,
        pattern: TOKEN,
        takes: TOKEN_TAKES,
        says: 'The token of the application.',
        example: 'A0123',
      },
      priority: { pattern: '^([0-9]|10)$', takes: 'a number from 0 to 10', says: 'From 0 to 10.', example: '5' },
    },
    limit: { most: 8_000, unit: 'characters' },
    everyMs: null,
    takesHeaders: true,
    url: 'https://gotify.example.com',
    address: 'The address is that of the server. Make an application there, and take its token.',
    lacks: 'A message is plain text. A tap on it opens the run.',
  },
  pushover: {
    label: 'Pushover',
    options: {
      token: {
        isNeeded: true,
        isSecret: true,
        pattern: KEY,
        takes: KEY_TAKES,
        says: 'The token of the application.',
        example: 'a0123456789',
      },
      user: {
        ...PACED_PLACE,
        isSecret: true,
        pattern: KEY,
        takes: KEY_TAKES,
        says: 'The key of the user or the group.',
        example: 'u0123456789',
      },
      device: {
        isAddress: true,
        pattern: '^[-_A-Za-z0-9]{1,25}(,[-_A-Za-z0-9]{1,25}){0,9}$',
        takes: 'names of devices with commas between them',
        says: 'The devices. Absent: all of the user.',
        example: 'phone',
      },
      priority: { ...oneOf('-2', '-1', '0', '1'), says: 'From -2 to 1.', example: '1' },
      sound: { pattern: '^[-_A-Za-z0-9]{1,40}$', takes: 'the name of a sound', says: 'The sound.', example: 'magic' },
    },
    limit: { most: 1_000, unit: 'characters' },
    everyMs: 500,
    takesHeaders: false,
    url: 'https://api.pushover.net/1/messages.json',
    hasOneAddress: true,
    address:
      'The address is always this one. Register an application for its token; the key of the user is on the page.',
    lacks: 'A message is short: 1,000 characters. The emergency priority, which asks for a receipt, is not taken.',
  },
  pagerduty: {
    label: 'PagerDuty',
    options: {
      routing_key: {
        ...PACED_PLACE,
        isSecret: true,
        pattern: KEY,
        takes: KEY_TAKES,
        says: 'The integration key of the service.',
        example: 'R0123456789',
      },
      severity: { ...oneOf('critical', 'error', 'warning', 'info'), says: 'Absent: `warning`.', example: 'critical' },
    },
    limit: { most: 100_000, unit: 'bytes' },
    everyMs: 500,
    takesHeaders: false,
    url: 'https://events.pagerduty.com/v2/enqueue',
    hasOneAddress: true,
    address: 'The address is always this one. Add an integration of Events API V2 to the service, and take its key.',
    lacks:
      'A change is an incident that people resolve. `failing`, and a `field_missing` of all fields, opens an ' +
      'incident of the monitor, and `recovered` resolves it. Where PagerDuty does not take a `failing` at once, it ' +
      'may arrive after the `recovered`, and then the incident stays open until the next one.',
  },
  apprise: {
    label: 'Apprise API',
    options: {
      urls: {
        isSecret: true,
        isAddress: true,
        pattern: TOKEN,
        takes: TOKEN_TAKES,
        says: 'The Apprise addresses to send to, with commas, for an address that ends in `/notify`.',
        example: 'json://example.com/0123',
      },
      tag: {
        isAddress: true,
        pattern: LINE,
        takes: LINE_TAKES,
        says: 'The tags to send to, for an address that ends in `/notify/` and a key.',
        example: 'all',
      },
      type: { ...oneOf('info', 'success', 'warning', 'failure'), says: 'Absent: `info`.', example: 'warning' },
    },
    limit: { most: 8_000, unit: 'characters' },
    everyMs: null,
    takesHeaders: true,
    url: 'https://apprise.example.com/notify/kettle',
    address:
      'Run an Apprise API server, and keep the services under a key there. Its address is `/notify/` and the key.',
    lacks: 'A message is plain text. Apprise shortens it for services that take less.',
  },
  cloudevents: {
    label: 'CloudEvents',
    options: {
      source: {
        pattern: TOKEN,
        takes: TOKEN_TAKES,
        says: 'The source of the events. Absent: `/v1/monitors/` and the id of the monitor.',
        example: 'https://watch.example.com',
      },
    },
    limit: { most: 1_000_000, unit: 'bytes' },
    everyMs: null,
    takesHeaders: true,
    url: 'https://events.example.com/',
    address: 'The address is any that takes CloudEvents 1.0 by HTTP in structured mode, such as that of a broker.',
    lacks: 'It is for programs: `data` is the payload of a webhook, and `id` is that of the delivery.',
  },
  custom: {
    label: 'Any other',
    options: {},
    limit: { most: 100_000, unit: 'bytes' },
    everyMs: null,
    takesHeaders: true,
    url: 'https://api.example.com/messages',
    address:
      'The address is any that takes a request with a [body](own-words.md#a-request-of-your-own), which you write. ' +
      'Without one, the message is sent as plain text.',
    lacks: 'Any answer with 2xx is a success, whatever it says.',
  },
} as const satisfies Readonly<Record<string, DeliveryService>>
