import { BULK_KEYS, type MonitorBulk } from '../monitor/bulk.ts'
import { rule } from './rule.ts'

type Bulk = Partial<MonitorBulk> & Pick<MonitorBulk, 'action'>

/** All keys that are for one action. */
const KEYS = Object.values(BULK_KEYS).flat()

/** Returns the labels of which one request says two things: what becomes of them would depend on an order. */
function ambiguousLabels({ labels: { add = {}, rename = {}, remove = [] } = {} }: Bulk): readonly string[] {
  const names = Object.entries(rename)
  const isTwice = (to: string) => names.filter(([, other]) => other === to).length > 1 || Object.hasOwn(add, to)
  return names.some(([from, to]) => remove.includes(from) || Object.hasOwn(add, from) || isTwice(to))
    ? ['labels.rename']
    : []
}

/**
 * Returns the keys that are for another action, and the first key of this one where it is missing. A count alone does
 * not say which monitors are deleted.
 */
function wrongKeys(bulk: Bulk): readonly string[] {
  if (bulk.action === 'delete' && bulk.filter !== undefined) return ['filter']
  const own = BULK_KEYS[bulk.action] ?? []
  const [needed] = own
  const others = KEYS.filter((key) => !own.includes(key) && bulk[key] !== undefined)
  return needed !== undefined && bulk[needed] === undefined ? [needed, ...others] : others
}

export const KEYS_OF_BULK = rule<Bulk>({
  name: 'keys_of_bulk',
  message:
    'the action mute needs until, which may be null; label needs labels; interval needs schedule_interval_seconds; ' +
    'the keys of one action are for no other; delete needs ids',
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
    { action: 'delete', filter: {}, expected: 1 },
    { action: 'unmute', reason: 'done' },
    { action: 'label' },
    { action: 'interval', schedule_interval_seconds: 60, labels: {} },
  ],
  between: wrongKeys,
  holds: (bulk) => wrongKeys(bulk).length === 0,
})

export const LABELS_SAID_ONCE = rule<Bulk>({
  name: 'labels_said_once',
  message: 'a label that is renamed is neither added nor removed, and two labels do not get the same name',
  cel: null,
  accepts: [
    { action: 'label', labels: { add: { env: 'live' }, rename: { team: 'squad' }, remove: ['old'] } },
    { action: 'label', labels: { rename: { a: 'b', b: 'a' } } },
  ],
  rejects: [
    { action: 'label', labels: { rename: { team: 'squad' }, remove: ['team'] } },
    { action: 'label', labels: { rename: { a: 'x', b: 'x' } } },
    { action: 'label', labels: { add: { squad: 'web' }, rename: { team: 'squad' } } },
  ],
  between: ambiguousLabels,
  holds: (bulk) => ambiguousLabels(bulk).length === 0,
})
