import type { DigestConfig } from '../monitor/digest.ts'
import { rule } from './rule.ts'

const berlin = { time_zone: 'Europe/Berlin' }

export const DIGEST_TIME = rule<DigestConfig>({
  name: 'digest_time',
  message: 'give either daily_at or every_seconds',
  cel: 'has(self.dailyAt) != has(self.everySeconds)',
  accepts: [{ daily_at: '08:00', ...berlin }, { every_seconds: 3600 }],
  rejects: [{}, { daily_at: '08:00', ...berlin, every_seconds: 3600 }],
  between: ({ daily_at: daily }) => [daily === undefined ? '' : 'every_seconds'],
  holds: ({ daily_at: daily, every_seconds: every }) => (daily === undefined) !== (every === undefined),
})

export const DIGEST_ZONE = rule<DigestConfig>({
  name: 'digest_zone',
  message: 'daily_at needs time_zone, and time_zone and days need daily_at',
  cel: 'has(self.dailyAt) == has(self.timeZone) && (has(self.dailyAt) || !has(self.days))',
  accepts: [{ daily_at: '08:00', ...berlin, days: ['mon', 'fri'] }, { every_seconds: 60 }],
  rejects: [{ daily_at: '08:00' }, { every_seconds: 60, ...berlin }, { every_seconds: 60, days: ['mon'] }],
  between: ({ daily_at: daily, days }) => [daily !== undefined || days === undefined ? 'time_zone' : 'days'],
  holds: ({ daily_at: daily, time_zone: zone, days }) =>
    (daily === undefined) === (zone === undefined) && (daily !== undefined || days === undefined),
})

/** A destination, as far as the rule looks at it. */
interface Destination {
  readonly type: string
  readonly service?: string
  readonly digest?: DigestConfig
}

const EACH_BY_ITSELF = ['custom', 'cloudevents']
const every = { every_seconds: 3600 }

export const DIGEST_FOR_PEOPLE = rule<Destination>({
  name: 'digest_for_people',
  message: 'a plain webhook and the services custom and cloudevents get each change by itself, and no digest',
  cel:
    "!has(self.digest) || self.type != 'webhook' || " +
    "(has(self.service) && !(self.service in ['custom', 'cloudevents']))",
  accepts: [
    { type: 'webhook' },
    { type: 'webhook', service: 'teams', digest: every },
    { type: 'email', digest: every },
  ],
  rejects: [
    { type: 'webhook', digest: every },
    { type: 'webhook', service: 'custom', digest: every },
    { type: 'webhook', service: 'cloudevents', digest: every },
  ],
  between: () => ['digest'],
  holds: ({ type, service, digest }) =>
    digest === undefined || type !== 'webhook' || (service !== undefined && !EACH_BY_ITSELF.includes(service)),
})
