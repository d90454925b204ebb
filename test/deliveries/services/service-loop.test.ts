import { expect, test } from 'vitest'
import { claimDeliveries, dueHosts } from '../../../store/deliveries/delivery-queue.ts'
import { destinationKey } from '../../../store/deliveries/delivery-row.ts'
import { openOutbox, startLoop } from '../../support/database/outbox.ts'
import { payloadOf } from '../../support/mail/mailbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { openReceiver } from '../../support/worker/receiver.ts'

const outbox = shared(openOutbox)
const PAYLOAD = payloadOf({ price: ['$19.99', '$17.49'] })

test('a message to a service is left by a worker of level 1, and sent by one of this version', async () => {
  await using bot = await openReceiver()
  const config = { type: 'webhook', service: 'telegram', url: bot.url, options: { chat_id: '-1001234' } } as const
  const row = outbox.row(config, PAYLOAD)
  expect(row.level).toBe(2)
  expect(row.target.includes('-1001234')).toBe(false)
  await outbox.addAll([row])

  expect((await dueHosts(outbox.store, '', 'deliveries', 1)).hosts).toEqual([])
  const rooms = [{ host: destinationKey(outbox.teamId, config), room: 1 }]
  expect(await claimDeliveries(outbox.store, { rooms, limit: 1, leaseSeconds: 60, level: 1 })).toEqual([])

  await using _ = startLoop(outbox)
  const [sent] = await eventually(
    () => outbox.seeAll(),
    (all) => all.every(({ status }) => status === 'success'),
  )
  expect(sent).toMatchObject({ attempts: 1, response_status: 200 })
  expect(bot.requests).toHaveLength(1)
  expect(JSON.parse(bot.requests[0]?.body.toString() ?? '')).toMatchObject({ chat_id: '-1001234', parse_mode: 'HTML' })
})
