import { BULK_KEYS, type MonitorBulk } from '../monitor/bulk.ts'
import { rule } from './rule.ts'

type Bulk = Partial<MonitorBulk> & Pick<MonitorBulk, 'action'>

/** All keys that are for one action. */
const KEYS = Object.values(BULK_KEYS).flat()

/** Returns the keys that are for another action, and the first key of this one where it is missing. */
function wrongKeys(bulk: Bulk): readonly string[] {
  const own = BULK_KEYS[bulk.action] ?? []
  const [needed] = own
  const others = KEYS.filter((key) => !own.includes(key) && bulk[key] !== undefined)
  return needed !== undefined && bulk[needed] === undefined ? [needed, ...others] : others
}

export const KEYS_OF_BULK = rule<Bulk>({
  name: 'keys_of_bulk',
  message:
    'the action mute needs until, which may be null; label needs labels; interval needs schedule_interval_seconds; ' +
    'the keys of one action are for no other',
  cel: null,
  accepts: [
    { action: 'mute', until: null, reason: 'a move' },
    { action: 'run' },
    { action: 'label', labels: { remove: ['team'] } },
    { action: 'interval', schedule_interval_seconds: 60 },
  ],
  rejects: [
    { action: 'mute', drop: true },
    { action: 'pause', until: null },
    { action: 'unmute', reason: 'done' },
    { action: 'label' },
    { action: 'interval', schedule_interval_seconds: 60, labels: {} },
  ],
  between: wrongKeys,
  holds: (bulk) => wrongKeys(bulk).length === 0,
})
