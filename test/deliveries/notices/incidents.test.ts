import { expect, test } from 'vitest'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver } from '../../support/worker/receiver.ts'
import { noticeLoops } from './notice-loops.ts'

const { loop, happened, query } = noticeLoops()

/** What happens to a monitor first, and the detail of the event. */
const TROUBLE = [
  ['fails', 'failing', { consecutive_failures: 5 }],
  ['has paused itself', 'failing', { consecutive_failures: 20 }],
  ['finds nothing at all', 'field_missing', {}],
] as const

/** Returns the events that PagerDuty gets of a monitor: the first one, and the one of its recovery. */
async function eventsOf(kind: string, detail: object) {
  await using receiver = await openReceiver()
  const { url } = receiver
  const options = { routing_key: 'R0123456789' }
  const { event_id } = await happened({
    ...{ kind, detail, wantsMail: false, notifyOn: [kind, 'recovered'] },
    deliveries: [{ type: 'webhook', service: 'pagerduty', url, options }],
  })
  loop(null).start()
  const received = (count: number) =>
    eventually(
      () => receiver.requests.length,
      (seen) => seen >= count,
    )
  await received(1)
  await query(
    `insert into notice_events (team_id, monitor_no, run_id, kind, detail, key)
     select team_id, monitor_no, run_id, 'recovered', '{}', gen_random_uuid()::text from notice_events where id = $1`,
    [event_id],
  )
  await received(2)
  return receiver.requests.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
}

test.each(TROUBLE)('the incident of a monitor that %s is resolved by its recovery', async (_what, kind, detail) => {
  const [trouble, recovery] = await eventsOf(kind, detail)
  expect(trouble).toMatchObject({ event_action: 'trigger', dedup_key: expect.stringMatching(/^tidemark-failing-/) })
  expect(recovery).toEqual({
    ...{ routing_key: 'R0123456789', event_action: 'resolve', dedup_key: trouble?.['dedup_key'] },
  })
})

test('a field that is missing beside others has an incident of its own, which no recovery resolves', async () => {
  const [trouble, recovery] = await eventsOf('field_missing', { fields: ['price'] })
  expect(trouble?.['dedup_key']).not.toBe(recovery?.['dedup_key'])
})
