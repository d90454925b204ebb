import type { MonitorBulk } from '../monitor/bulk.ts'
import { rule } from './rule.ts'

type Bulk = Pick<MonitorBulk, 'action' | 'until' | 'reason' | 'drop'>

export const MUTE_OF_BULK = rule<Bulk>({
  name: 'mute_of_bulk',
  message: 'the action mute needs until, which may be null; until, reason and drop are for this action',
  cel: null,
  accepts: [{ action: 'mute', until: null, reason: 'a move' }, { action: 'run' }],
  rejects: [
    { action: 'mute', drop: true },
    { action: 'pause', until: null },
    { action: 'unmute', reason: 'done' },
  ],
  between: (bulk) => (bulk.action === 'mute' ? ['until'] : MUTE_KEYS.filter((key) => bulk[key] !== undefined)),
  holds: (bulk) =>
    bulk.action === 'mute' ? bulk.until !== undefined : MUTE_KEYS.every((key) => bulk[key] === undefined),
})

const MUTE_KEYS = ['until', 'reason', 'drop'] as const
