import { expect, test } from 'vitest'
import { quietNow } from '../../support/api/quiet-now.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver } from '../../support/worker/receiver.ts'
import { noticeLoops } from './notice-loops.ts'

const { loop, happened, mute, until, setClock, postOffice, query, isHandled } = noticeLoops()

test('a notice to a destination waits for the end of its quiet hours', async () => {
  await using receiver = await openReceiver()
  const deliveries = [{ type: 'webhook', url: receiver.url, quiet_hours: quietNow(2) } as const]
  const { team_id } = await happened({ deliveries, notifyOn: ['failing'] })
  loop(null).start()
  const waiting = await until(team_id, ({ status }) => status === 'pending')
  expect(waiting?.due_in).toBeGreaterThan(3_600)
  expect(receiver.requests).toHaveLength(0)
  await setClock(2 * 3600 + 60)
  await until(team_id, ({ status }) => status === 'success')
  expect(receiver.requests).toHaveLength(1)
})

test('a notice to a destination with a digest waits as long, and is a message of its own', async () => {
  await using receiver = await openReceiver()
  const digest = { every_seconds: 3600 }
  const deliveries = [{ type: 'webhook', service: 'mattermost', url: receiver.url, digest } as const]
  const { team_id } = await happened({ deliveries, notifyOn: ['failing'] })
  loop(null).start()
  const waiting = await until(team_id, ({ status }) => status === 'pending')
  expect(waiting?.due_in).toBeGreaterThan(3_000)
  await setClock(3_660)
  await until(team_id, ({ status }) => status === 'success')
  expect(receiver.requests).toHaveLength(1)
})

test.each([
  ['quota', { used: 160, limit: 200, percent: 80, resource: 'runs', resets_at: null }],
  ['delivery_dead', { target_key: 'another', host: 'a.example:443', attempts: 6 }],
])(
  'a notice of kind %s is sent within them and while the monitor is muted: a person has to act',
  async (kind, detail) => {
    await using receiver = await openReceiver()
    const digest = { every_seconds: 3600 }
    const held = { quiet_hours: quietNow(2), digest }
    const deliveries = [{ type: 'webhook', service: 'mattermost', url: receiver.url, ...held } as const]
    const { monitor_id } = await happened({ kind, detail, deliveries, notifyOn: [kind] })
    await mute(monitor_id, null)
    loop(null).start()
    await eventually(
      async () => receiver.requests.length,
      (count) => count === 1,
    )
  },
)

test('a notice about a muted monitor waits for the end of the mute, and is never dropped', async () => {
  await using receiver = await openReceiver()
  const deliveries = [{ type: 'webhook', url: receiver.url } as const]
  const { team_id, monitor_id } = await happened({ deliveries, notifyOn: ['failing'] })
  await mute(monitor_id, new Date(Date.now() + 3_600_000).toISOString())
  loop(null).start()
  const waiting = await until(team_id, ({ status }) => status === 'pending')
  expect(waiting?.due_in).toBeGreaterThan(3_500)
  await setClock(3_660)
  await until(team_id, ({ status }) => status === 'success')
  expect(receiver.requests).toHaveLength(1)
})

test('notices about a muted monitor arrive in the order in which they happened', async () => {
  await using receiver = await openReceiver()
  const deliveries = [{ type: 'webhook', url: receiver.url } as const]
  const notifyOn = ['failing', 'recovered']
  const { monitor_id, event_id } = await happened({ deliveries, notifyOn })
  await mute(monitor_id, new Date(Date.now() + 3_600_000).toISOString())
  loop(null).start()
  await isHandled(event_id)
  const copied = await query(
    `insert into notice_events (team_id, monitor_no, kind, detail, key)
     select team_id, monitor_no, 'recovered', '{}', gen_random_uuid()::text from notice_events where id = $1
     returning id`,
    [event_id],
  )
  await isHandled(copied.rows[0].id)
  await setClock(3_660)
  await eventually(
    async () => receiver.requests.length,
    (count) => count === 2,
  )
  const kinds = receiver.requests.map(({ body }) => (JSON.parse(String(body)) as { kind: string }).kind)
  expect(kinds).toEqual(['failing', 'recovered'])
})

test('so does that to the owner, and at the latest a day before it would be deleted', async () => {
  const { mailbox, mailer } = await postOffice()
  const { team_id, monitor_id } = await happened()
  await mute(monitor_id, null)
  loop(mailer).start()
  const waiting = await until(team_id, ({ status }) => status === 'pending')
  expect((waiting?.due_in ?? 0) / 86_400).toBeCloseTo(729, 1)
  const { rows } = await query('select level, muted_no is null as is_free from notices where team_id = $1', [team_id])
  expect(rows).toEqual([{ level: 2, is_free: false }])
  expect(mailbox.letters).toHaveLength(0)
})

test('a notice about the team does not wait for the mute of a monitor that names the destination', async () => {
  await using receiver = await openReceiver()
  const deliveries = [{ type: 'webhook', url: receiver.url } as const]
  const detail = { waiting_for_browser: 3 }
  const { monitor_id } = await happened({ isOfTeam: true, detail, deliveries, notifyOn: ['failing'] })
  await mute(monitor_id, null)
  loop(null).start()
  await eventually(
    async () => receiver.requests.length,
    (count) => count === 1,
  )
})
