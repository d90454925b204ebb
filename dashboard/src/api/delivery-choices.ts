// Generated from schema/ by `npm run gen`.
import type { MessageName, Service, ServiceName } from './service.ts'
import type { DeliveryConfig } from './types.ts'

export const SERVICES: Readonly<Record<ServiceName, Service>> = {
  "teams": {
    "label": "Microsoft Teams",
    "url": "https://prod-1.westeurope.logic.azure.com/workflows/0123/triggers/manual/paths/invoke?sig=0123",
    "address":
      "In Teams, open the Workflows of the channel or chat and add the one that posts to it when a webhook request " +
      "is received. It shows its address once it is saved.",
    "takesHeaders": false,
    "options": {}
  },
  "telegram": {
    "label": "Telegram",
    "url": "https://api.telegram.org/bot0123:TOKEN/sendMessage",
    "address":
      "Ask @BotFather for a bot, and write its token into the address. Add the bot to the chat; the id of the chat " +
      "is in the answer of getUpdates once somebody has written there.",
    "takesHeaders": false,
    "options": {
      "chat_id": {
        "isNeeded": true,
        "takes": "a number, or @ and the name of a channel",
        "says": "The chat, group or channel.",
        "example": "-1001234"
      },
      "message_thread_id": {
        "takes": "a number",
        "says": "The topic of a group that has topics.",
        "example": "7"
      },
      "disable_notification": {
        "choices": [
          "true",
          "false"
        ],
        "takes": "true, false",
        "says": "true: the message makes no sound.",
        "example": "true"
      }
    }
  },
  "matrix": {
    "label": "Matrix",
    "url": "https://matrix.example.com",
    "address":
      "The address is that of the homeserver. Make an account for Tidemark, let it join the room, and take the id " +
      "of the room from its settings. Rooms must not be encrypted.",
    "takesHeaders": true,
    "options": {
      "room_id": {
        "isNeeded": true,
        "takes": "the id of a room, which begins with !",
        "says": "The room.",
        "example": "!abc:example.com"
      },
      "access_token": {
        "isNeeded": true,
        "isSecret": true,
        "takes": "printable ASCII characters without a space",
        "says": "The access token of the account that writes.",
        "example": "syt_0123"
      }
    }
  },
  "mattermost": {
    "label": "Mattermost",
    "url": "https://mattermost.example.com/hooks/0123",
    "address": "Make an incoming webhook under Integrations; Mattermost shows its address.",
    "takesHeaders": true,
    "options": {
      "channel": {
        "takes": "1 to 200 characters on one line",
        "says": "The channel. Absent: that of the webhook.",
        "example": "town-square"
      },
      "username": {
        "takes": "1 to 200 characters on one line",
        "says": "The name of the sender, where the server lets webhooks choose it.",
        "example": "Kettle watch"
      }
    }
  },
  "rocket_chat": {
    "label": "Rocket.Chat",
    "url": "https://rocket.example.com/hooks/0123/0123",
    "address": "Make an incoming integration in the administration of the workspace; Rocket.Chat shows its address.",
    "takesHeaders": true,
    "options": {
      "channel": {
        "takes": "1 to 200 characters on one line",
        "says": "The channel. Absent: that of the webhook.",
        "example": "#general"
      },
      "alias": {
        "takes": "1 to 200 characters on one line",
        "says": "The name of the sender, where the server lets webhooks choose it.",
        "example": "Kettle watch"
      }
    }
  },
  "google_chat": {
    "label": "Google Chat",
    "url": "https://chat.googleapis.com/v1/spaces/0123/messages?key=0123&token=0123",
    "address": "In the space, open Apps and integrations and add a webhook; Google Chat shows its address.",
    "takesHeaders": false,
    "options": {
      "thread_key": {
        "takes": "1 to 200 characters on one line",
        "says": "Messages with the same key are one thread.",
        "example": "kettle"
      }
    }
  },
  "ntfy": {
    "label": "ntfy",
    "url": "https://ntfy.example.com",
    "address": "The address is that of the server, without a topic, as in https://ntfy.sh.",
    "takesHeaders": true,
    "options": {
      "topic": {
        "isNeeded": true,
        "isSecret": true,
        "takes": "1 to 64 letters, digits, - and _",
        "says": "The topic. Who knows it can read it where the server has no access control.",
        "example": "kettle-7f3a"
      },
      "token": {
        "isSecret": true,
        "takes": "printable ASCII characters without a space",
        "says": "An access token, where the topic needs one.",
        "example": "tk_0123"
      },
      "priority": {
        "choices": [
          "1",
          "2",
          "3",
          "4",
          "5"
        ],
        "takes": "1, 2, 3, 4, 5",
        "says": "From 1 (lowest) to 5.",
        "example": "4"
      },
      "tags": {
        "takes": "up to ten names with commas between them",
        "says": "Tags; some are shown as emoji.",
        "example": "bell"
      }
    }
  },
  "gotify": {
    "label": "Gotify",
    "url": "https://gotify.example.com",
    "address": "The address is that of the server. Make an application there, and take its token.",
    "takesHeaders": true,
    "options": {
      "token": {
        "isNeeded": true,
        "isSecret": true,
        "takes": "printable ASCII characters without a space",
        "says": "The token of the application.",
        "example": "A0123"
      },
      "priority": {
        "takes": "a number from 0 to 10",
        "says": "From 0 to 10.",
        "example": "5"
      }
    }
  },
  "pushover": {
    "label": "Pushover",
    "url": "https://api.pushover.net/1/messages.json",
    "hasOneAddress": true,
    "address":
      "The address is always this one. Register an application for its token; the key of the user is on the page.",
    "takesHeaders": false,
    "options": {
      "token": {
        "isNeeded": true,
        "isSecret": true,
        "takes": "1 to 100 letters, digits, - and _",
        "says": "The token of the application.",
        "example": "a0123456789"
      },
      "user": {
        "isNeeded": true,
        "isSecret": true,
        "takes": "1 to 100 letters, digits, - and _",
        "says": "The key of the user or the group.",
        "example": "u0123456789"
      },
      "device": {
        "takes": "names of devices with commas between them",
        "says": "The devices. Absent: all of the user.",
        "example": "phone"
      },
      "priority": {
        "choices": [
          "-2",
          "-1",
          "0",
          "1"
        ],
        "takes": "-2, -1, 0, 1",
        "says": "From -2 to 1.",
        "example": "1"
      },
      "sound": {
        "takes": "the name of a sound",
        "says": "The sound.",
        "example": "magic"
      }
    }
  },
  "pagerduty": {
    "label": "PagerDuty",
    "url": "https://events.pagerduty.com/v2/enqueue",
    "hasOneAddress": true,
    "address": "The address is always this one. Add an integration of Events API V2 to the service, and take its key.",
    "takesHeaders": false,
    "options": {
      "routing_key": {
        "isNeeded": true,
        "isSecret": true,
        "takes": "1 to 100 letters, digits, - and _",
        "says": "The integration key of the service.",
        "example": "R0123456789"
      },
      "severity": {
        "choices": [
          "critical",
          "error",
          "warning",
          "info"
        ],
        "takes": "critical, error, warning, info",
        "says": "Absent: warning.",
        "example": "critical"
      }
    }
  },
  "apprise": {
    "label": "Apprise API",
    "url": "https://apprise.example.com/notify/kettle",
    "address":
      "Run an Apprise API server, and keep the services under a key there. Its address is /notify/ and the key.",
    "takesHeaders": true,
    "options": {
      "urls": {
        "isSecret": true,
        "takes": "printable ASCII characters without a space",
        "says": "The Apprise addresses to send to, with commas, for an address that ends in /notify.",
        "example": "json://example.com/0123"
      },
      "tag": {
        "takes": "1 to 200 characters on one line",
        "says": "The tags to send to, for an address that ends in /notify/ and a key.",
        "example": "all"
      },
      "type": {
        "choices": [
          "info",
          "success",
          "warning",
          "failure"
        ],
        "takes": "info, success, warning, failure",
        "says": "Absent: info.",
        "example": "warning"
      }
    }
  },
  "cloudevents": {
    "label": "CloudEvents",
    "url": "https://events.example.com/",
    "address": "The address is any that takes CloudEvents 1.0 by HTTP in structured mode, such as that of a broker.",
    "takesHeaders": true,
    "options": {
      "source": {
        "takes": "printable ASCII characters without a space",
        "says": "The source of the events. Absent: /v1/monitors/ and the id of the monitor.",
        "example": "https://watch.example.com"
      }
    }
  },
  "custom": {
    "label": "Any other",
    "url": "https://api.example.com/messages",
    "address":
      "The address is any that takes a request with a body, which you write. Without one, the message is sent as " +
      "plain text.",
    "takesHeaders": true,
    "options": {}
  }
}

/** The names that a message can have. `*` stands for the name of a field or a label. */
export const MESSAGE_NAMES: readonly MessageName[] = [
  {
    "name": "monitor.name",
    "means": "The name of the monitor."
  },
  {
    "name": "monitor.id",
    "means": "The id of the monitor."
  },
  {
    "name": "monitor.url",
    "means": "The address of the page, or that of the search at its engine."
  },
  {
    "name": "monitor.labels.*",
    "means": "The value of a label."
  },
  {
    "name": "fields.*.before",
    "of": "page",
    "means": "The value of a field before."
  },
  {
    "name": "fields.*.after",
    "of": "page",
    "means": "The value of a field now."
  },
  {
    "name": "fields.*.change",
    "of": "page",
    "means": "How far a number moved."
  },
  {
    "name": "lists.*.added",
    "of": "page",
    "means": "The items that a list has gained."
  },
  {
    "name": "lists.*.removed",
    "of": "page",
    "means": "The items that a list has lost."
  },
  {
    "name": "lists.*.moved",
    "of": "page",
    "means": "The items of a list that changed places."
  },
  {
    "name": "changes",
    "means": "The changes as every message tells them."
  },
  {
    "name": "text.excerpt",
    "of": "page",
    "means": "The lines of a page that were added and removed."
  },
  {
    "name": "visual.change_pct",
    "of": "page",
    "means": "How much of the picture changed, in percent."
  },
  {
    "name": "serp.keyword",
    "of": "serp",
    "means": "What is searched for."
  },
  {
    "name": "serp.engine",
    "of": "serp",
    "means": "The search engine."
  },
  {
    "name": "serp.rank",
    "of": "serp",
    "means": "The rank of the target now."
  },
  {
    "name": "serp.previous_rank",
    "of": "serp",
    "means": "The rank of the target before."
  },
  {
    "name": "serp.rank_delta",
    "of": "serp",
    "means": "How far the rank moved: positive is better."
  },
  {
    "name": "serp.added",
    "of": "serp",
    "means": "The results that are new."
  },
  {
    "name": "serp.removed",
    "of": "serp",
    "means": "The results that are gone."
  },
  {
    "name": "run.id",
    "means": "The id of the run."
  },
  {
    "name": "run.url",
    "means": "The page of the run in the dashboard."
  },
  {
    "name": "fired_at",
    "means": "When the run fired."
  }
]

/** The most characters of each part of a message. */
export const MESSAGE_LIMITS = {
  "title": 200,
  "text": 4000,
  "body": 20000
}

export const WEEK_DAYS: NonNullable<NonNullable<DeliveryConfig['digest']>['days']> = [
  "mon",
  "tue",
  "wed",
  "thu",
  "fri",
  "sat",
  "sun"
]
