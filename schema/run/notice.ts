import Type, { type Static } from 'typebox'
import { DISK_PLACES } from '../disk.ts'
import { DELIVERY_TYPES, NOTICE_KINDS } from '../monitor/delivery-config.ts'
import { MONITOR_KINDS } from '../resource-kind.ts'
import { Choice, Closed, Instant, Nullable, Text, Uuid } from '../shape/shape.ts'
import { API_VERSION } from './delivery.ts'

/** The header that a webhook with a notice has, and one with a change has not. Its value is `notice.<kind>`. */
export const NOTICE_HEADER = 'Service-Event'

const Count = () => Type.Integer({ minimum: 0 })

/**
 * The payload of a notice: it tells of the monitor or the team itself, and not of a change. `type` tells it from the
 * payload of a delivery, which has no such key. Exactly one of the blocks at the end is present, under the name of the
 * kind; `recovered` has none.
 */
export const NoticePayload = Closed({
  id: Uuid('Id of the notice. It is the same on every attempt, so that a receiver can drop duplicates.'),
  version: Type.Literal(API_VERSION),
  type: Type.Literal('notice'),
  kind: Choice(NOTICE_KINDS),
  occurred_at: Instant(),
  title: Text(1, 400, 'One line for a person.'),
  message: Text(0, 8000, 'Sentences for a person, one on each line.'),
  recipient: Choice(['destination', 'owner']),
  monitor_id: Nullable(Uuid(), {
    description:
      'Null in a notice to the owner about the team, where checks of a team wait for a browser, and where monitors ' +
      'of a folder were not deleted.',
  }),
  run_id: Nullable(Uuid()),
  monitor: Nullable(Closed({ url: Text(1, 2048), name: Text(1, 200), kind: Choice(MONITOR_KINDS) })),
  failing: Type.Optional(
    Closed({
      consecutive_failures: Count(),
      error_code: Nullable(Text(1, 100)),
      error_message: Nullable(Text(0, 4096)),
    }),
  ),
  field_missing: Type.Optional(
    Closed({
      fields: Type.Array(Text(1, 100), { maxItems: 50 }),
      all: Type.Boolean({ description: 'Every field of the monitor is empty.' }),
    }),
  ),
  delivery_dead: Type.Optional(
    Closed({
      delivery_id: Uuid(),
      delivery_type: Choice(DELIVERY_TYPES),
      destination: Text(1, 300, 'Host and port, or the address of a mail. A whole webhook address may be a secret.'),
      status: Choice(['failed', 'dead']),
      response_status: Nullable(Type.Integer()),
    }),
  ),
  quota: Type.Optional(
    Closed({
      pool: Choice(['runs', 'visual', 'serp', 'pictures', 'trial', 'disk'], {
        description: 'What is used: runs, bytes of pictures, the days of the trial, or bytes of a disk.',
      }),
      place: Type.Optional(Choice(DISK_PLACES, { description: 'Which disk it is.' })),
      threshold_pct: Type.Integer({
        description:
          '80, or 100 when checks stop, or credits pay from now on. Of a disk 90, or 95 when previews and pictures ' +
          'stop.',
      }),
      used: Count(),
      limit: Count(),
      credits_remaining: Count(),
      resets_at: Nullable(Instant(), { description: 'Null in a trial, whose runs are not renewed.' }),
      needs: Type.Optional(
        Type.Integer({
          minimum: 2,
          description: 'Some runs are left, but fewer than a search needs: its checks are skipped.',
        }),
      ),
      locked: Type.Optional(
        Type.Integer({ minimum: 1, description: 'The monitors that it locked: they run no more checks.' }),
      ),
    }),
  ),
})
export type NoticePayload = Static<typeof NoticePayload>
