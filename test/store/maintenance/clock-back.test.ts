import { afterEach, expect, test } from 'vitest'
import { pullBack } from '../../../store/maintenance/clock-back.ts'
import { dropDeliveries, putOffDeliveries } from '../../support/database/change-deliveries.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)
afterEach(() => dropDeliveries(outbox))

const hook = { type: 'webhook', url: 'https://a.example/' } as const
const night = { from: '22:00', until: '07:00', time_zone: 'UTC' }
const dueIn = async (id: string) => Math.round((Number((await outbox.see(id)).due_at) - Date.now()) / 3_600_000) + 0

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

// Each worker asks at its start, when nothing is certain.
test.each([false, true])(
  'what is held keeps its time, and so does what waits for quiet hours: %j',
  async (isCertain) => {
    const [digest, quiet, again, plain, far, muted] = [
      await outbox.add({ type: 'slack', webhookUrl: 'https://a.example/', digest: { every_seconds: 604_800 } }),
      await outbox.add({ ...hook, quiet_hours: night }),
      await outbox.add({ ...hook, quiet_hours: night }),
      await outbox.add(hook),
      await outbox.add({ ...hook, quiet_hours: night }),
      await outbox.add(hook),
    ]
    await putOffDeliveries(outbox, [digest], 190, 'digest')
    await putOffDeliveries(outbox, [quiet], 20, 'quiet_hours')
    await outbox.change(again, { attempts: 2, last_attempt_at: inHours(-1) })
    await putOffDeliveries(outbox, [again], 20)
    await putOffDeliveries(outbox, [plain], 20)
    await putOffDeliveries(outbox, [far], 24 * 40, 'quiet_hours')
    await putOffDeliveries(outbox, [muted], 24 * 700, 'muted')
    expect(await pullBack(outbox.store, { leaseSeconds: 60, isCertain })).toMatchObject({ deliveries: 2 })
    expect(await Promise.all([digest, quiet, again, plain, muted].map(dueIn))).toEqual([190, 20, 20, 0, 16_800])
    // No hold explains it.
    expect(await dueIn(far)).toBe(0)
  },
)

test('a message that waits for no hour is sent when it would be, whatever else its destination has', async () => {
  const ntfy = { type: 'webhook', service: 'ntfy', url: 'https://a.example/', options: { topic: 'a' } } as const
  const [first, future] = [await outbox.add(ntfy), await outbox.add(ntfy)]
  await outbox.change(future, { attempts: 1, last_attempt_at: inHours(6) })
  await putOffDeliveries(outbox, [first, future], 6)
  expect(await pullBack(outbox.store, { leaseSeconds: 60, isCertain: true })).toMatchObject({ deliveries: 2 })
  expect(await Promise.all([first, future].map(dueIn))).toEqual([0, 0])
})
