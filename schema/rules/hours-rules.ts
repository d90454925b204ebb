import type { QuietHours } from '../monitor/quiet-hours.ts'
import { rule } from './rule.ts'

const ZONE = '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$'
const zone = new RegExp(ZONE)
/** ICU knows more short names than IANA, most of them with several meanings: CST is Chicago's, or Shanghai's. */
const SHORT = '^[a-z]{2}t$'
const IANA_SHORT = '^(ce|ee|es|gm|hs|me|ms|uc|we)t$'
const short = new RegExp(SHORT, 'i')
const ianaShort = new RegExp(IANA_SHORT, 'i')

export const TIME_ZONE = rule<string>({
  name: 'time_zone',
  message: 'must be the IANA name of a time zone, such as Europe/Berlin, America/New_York or UTC',
  // It accepts slightly too much: CEL does not know the names. The operator applies `check`.
  cel: `self.matches('${ZONE}') && (!self.matches('(?i)${SHORT}') || self.matches('(?i)${IANA_SHORT}'))`,
  json: { pattern: ZONE },
  accepts: ['Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kathmandu', 'UTC', 'Etc/GMT+5', 'europe/berlin'],
  rejects: ['+02:00', 'Europe/Berlin ', '../etc/localtime', 'Europe//Berlin', '2', 'PST', 'bst'],
  holds: (name) => zone.test(name) && (!short.test(name) || ianaShort.test(name)) && isKnown(name),
})

function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

const berlin = { time_zone: 'Europe/Berlin' }

export const QUIET_HOURS_DIFFER = rule<QuietHours>({
  name: 'quiet_hours_differ',
  message: 'from and until are the same time, so it is not clear whether that is no hour or the whole day',
  cel: 'self.from != self.until',
  accepts: [
    { from: '22:00', until: '07:00', ...berlin },
    { from: '00:00', until: '23:59', ...berlin },
  ],
  rejects: [{ from: '07:00', until: '07:00', ...berlin }],
  between: () => ['from', 'until'],
  holds: ({ from, until }) => from !== until,
})
