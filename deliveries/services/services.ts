import type { ServiceName } from '../../schema/monitor/delivery-services.ts'
import { apprise } from './apprise.ts'
import { cloudevents } from './cloudevents.ts'
import { custom } from './custom.ts'
import { googleChat } from './google-chat.ts'
import { gotify } from './gotify.ts'
import { matrix } from './matrix.ts'
import { mattermost } from './mattermost.ts'
import { ntfy } from './ntfy.ts'
import { pagerduty } from './pagerduty.ts'
import { pushover } from './pushover.ts'
import { rocketChat } from './rocket-chat.ts'
import type { Service } from './service.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'

/** How each service is sent to. */
export const SERVICES: Readonly<Record<ServiceName, Service>> = {
  teams,
  telegram,
  matrix,
  mattermost,
  rocket_chat: rocketChat,
  google_chat: googleChat,
  ntfy,
  gotify,
  pushover,
  pagerduty,
  apprise,
  cloudevents,
  custom,
}
