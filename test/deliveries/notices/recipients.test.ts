import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { notPrunedText } from '../../../deliveries/notices/not-pruned-text.ts'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { NoticePayload } from '../../../schema/run/notice.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { targetKey } from '../../../store/deliveries/delivery-row.ts'
import { SECRET } from '../../support/database/outbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver, type Receiver, reply } from '../../support/worker/receiver.ts'
import { verifier } from '../../support/worker/signature-verifier.ts'
import { noticeLoops } from './notice-loops.ts'

const { check, postOffice, loop, happened, until, isHandled, setClock, query } = noticeLoops()

const requested = (receiver: Receiver, count: number) =>
  eventually(
    () => receiver.requests.length,
    (seen) => seen >= count,
  )
const payloadAt = (receiver: Receiver, index = 0): NoticePayload => {
  const body: unknown = JSON.parse(String(receiver.requests[index]?.body))
  expect(checkerOf(NoticePayload).validate(body)).toMatchObject({ ok: true })
  return body as NoticePayload
}

test('a webhook that wants to know gets a signed notice that is no delivery, by its type and its header', async () => {
  await using receiver = await openReceiver()
  const { monitor_id, run_id } = await happened({
    deliveries: [{ type: 'webhook', url: receiver.url, headers: { 'service-event': 'mine', 'X-Team': 'blue' } }],
    notifyOn: ['failing'],
  })
  loop(null).start()
  await requested(receiver, 1)
  const [request] = receiver.requests
  expect(request?.headers.get('service-event')).toBe('notice.failing')
  expect(request?.headers.get('x-team')).toBe('blue')
  const signature = request?.headers.get('service-signature') ?? ''
  expect(verifier?.verifyHeader(request?.body ?? Buffer.of(), signature, SECRET)).toBe(true)
  expect(payloadAt(receiver)).toMatchObject({
    type: 'notice',
    kind: 'failing',
    title: 'Kettle is failing',
    recipient: 'destination',
    monitor_id,
    run_id,
    failing: { consecutive_failures: 5, error_code: 'http_error', error_message: 'The page answered 500.' },
  })
  expect((await query('select from deliveries')).rowCount).toBe(0)
})

test('a notice that a destination does not take is tried again with the same bytes', async () => {
  await using receiver = await openReceiver((socket, request, nth) =>
    reply(nth === 1 ? 503 : 200)(socket, request, nth),
  )
  const { team_id } = await happened({ deliveries: [{ type: 'webhook', url: receiver.url }], notifyOn: ['failing'] })
  loop(null).start()
  expect((await until(team_id, ({ attempts }) => attempts === 1))?.due_in).toBeGreaterThan(280)
  await setClock(301)
  await until(team_id, ({ status }) => status === 'success')
  expect(receiver.requests[1]?.body).toEqual(receiver.requests[0]?.body)
})

test('each destination of the monitor gets its own kind of message, and only about what it wants', async () => {
  const { mailbox, mailer } = await postOffice()
  await using receiver = await openReceiver()
  const deliveries: DeliveryConfig[] = [
    { type: 'slack', webhookUrl: receiver.url },
    { type: 'discord', webhookUrl: `${receiver.url}/d` },
    { type: 'email', to: 'ada@example.com' },
  ]
  const other = await happened({ kind: 'recovered', deliveries, notifyOn: ['failing'], wantsMail: false })
  await happened({ deliveries, notifyOn: ['failing'], wantsMail: false })
  loop(mailer).start()
  await isHandled(other.event_id)
  await requested(receiver, 2)
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(mailbox.letters[0]).toMatchObject({ to: ['ada@example.com'], mail: { subject: 'Kettle is failing' } })
  expect(mailbox.letters[0]?.mail.text).toContain('This address is a destination of the monitor.')
  const bodies = receiver.requests.map(({ body }) => JSON.parse(String(body)))
  expect(bodies.find((body) => 'blocks' in body)).toMatchObject({ text: 'Kettle is failing' })
  expect(bodies.find((body) => 'embeds' in body)).toMatchObject({ embeds: [{ title: 'Kettle is failing' }] })
})

test('a delivery that was given up is reported to the others and to the owner, and not to itself', async () => {
  const { mailbox, mailer } = await postOffice()
  await using dead = await openReceiver()
  await using other = await openReceiver()
  const deadOne: DeliveryConfig = { type: 'webhook', url: dead.url }
  const { email } = await happened({
    kind: 'delivery_dead',
    deliveries: [deadOne, { type: 'webhook', url: other.url }],
    notifyOn: ['delivery_dead'],
    detail: {
      delivery_id: randomUUID(),
      target_key: targetKey(deadOne),
      delivery_type: 'webhook',
      host: `127.0.0.1:${dead.port}`,
      status: 'dead',
      response_status: 503,
    },
  })
  loop(mailer).start()
  await requested(other, 1)
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(payloadAt(other)).toMatchObject({
    kind: 'delivery_dead',
    title: `Kettle cannot deliver to 127.0.0.1:${dead.port}`,
    delivery_dead: { status: 'dead', response_status: 503, destination: `127.0.0.1:${dead.port}` },
  })
  expect(mailbox.letters[0]?.to).toEqual([email])
  expect(mailbox.letters[0]?.mail.text).toContain('given up after 6 attempts. The last answer was 503.')
  expect(dead.requests).toHaveLength(0)
})

test('a search is reported with its address at the engine: failing, paused, recovered, dead destination', async () => {
  const { mailbox, mailer } = await postOffice()
  await using slack = await openReceiver()
  await using webhook = await openReceiver()
  const deadOne: DeliveryConfig = { type: 'webhook', url: 'https://gone.example.com/hook' }
  const about = {
    isSearch: true,
    name: 'Kettles',
    deliveries: [{ type: 'slack', webhookUrl: slack.url }, { type: 'webhook', url: webhook.url }, deadOne] as const,
    notifyOn: ['failing', 'recovered', 'delivery_dead', 'quota'],
  }
  const dead = await happened({
    ...about,
    kind: 'delivery_dead',
    detail: {
      ...{ delivery_id: randomUUID(), target_key: targetKey(deadOne), delivery_type: 'webhook' },
      ...{ host: 'gone.example.com:443', status: 'dead', response_status: 503 },
    },
  })
  loop(mailer).start()
  await requested(slack, 1)
  await requested(webhook, 1)
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(payloadAt(webhook)).toMatchObject({
    monitor_id: dead.monitor_id,
    monitor: {
      url: expect.stringMatching(/^https:\/\/www\.google\.com\/search\?q=kettles/),
      name: 'Kettles',
      kind: 'serp',
    },
  })
  expect(String(slack.requests[0]?.body)).toContain(
    `https://watch.example.com/serp-monitors/${dead.monitor_id}/runs/${dead.run_id}`,
  )
  expect(mailbox.letters[0]).toMatchObject({
    to: [dead.email],
    mail: { subject: 'Kettles cannot deliver to gone.example.com:443' },
  })
  const next = async (count: number, options: Parameters<typeof happened>[0]) => {
    const { event_id } = await happened({ ...about, deliveries: about.deliveries.slice(0, 2), ...options })
    await isHandled(event_id)
    await requested(slack, count)
    await requested(webhook, count)
    return payloadAt(webhook, count - 1)
  }
  expect(await next(2, {})).toMatchObject({
    title: 'Kettles is failing',
    message: expect.stringContaining('After 10 failures in a row it pauses itself.'),
  })
  expect(await next(3, { detail: { consecutive_failures: 10 } })).toMatchObject({
    kind: 'failing',
    title: 'Kettles has paused itself',
    failing: { consecutive_failures: 10 },
  })
  expect(await next(4, { kind: 'recovered', detail: {} })).toMatchObject({ title: 'Kettles works again' })
  const detail = { pool: 'runs', threshold_pct: 80, used: 8, limit: 10, credits_remaining: 0, resets_at: null }
  expect(await next(5, { kind: 'quota', isOfTeam: true, detail })).toMatchObject({ title: '80 % of the runs are used' })
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 4,
  )
  // The owner gets another mail about the pause.
  expect(mailbox.letters.map(({ mail }) => mail.subject)).not.toContain('Kettles has paused itself')
})

test('what concerns the team goes to its owner, and once to each destination that wants it', async () => {
  const { mailbox, mailer } = await postOffice()
  await using receiver = await openReceiver()
  const detail = {
    pool: 'runs',
    threshold_pct: 80,
    used: 4_000,
    limit: 5_000,
    credits_remaining: 0,
    resets_at: '2026-06-01T12:00:00+00:00',
  }
  const options = { deliveries: [{ type: 'webhook', url: receiver.url }] as const, notifyOn: ['quota'] }
  const { team_id, monitor_id, email } = await happened({ kind: 'quota', isOfTeam: true, detail, ...options })
  await query(
    `insert into monitors (team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate,
       fetch_mode, deliveries, signing_secret, notify_on, created_at)
     select team_id, user_id, 'Second', url, 60, '{}', '{}', 'auto', deliveries, signing_secret, notify_on,
       created_at + interval '1 s' from monitors where team_id = $1`,
    [team_id],
  )
  loop(mailer).start()
  await requested(receiver, 1)
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(payloadAt(receiver)).toMatchObject({
    title: '80 % of the runs are used',
    monitor_id,
    quota: { ...detail, resets_at: '2026-06-01T12:00:00.000Z' },
  })
  expect(mailbox.letters[0]).toMatchObject({ to: [email], mail: { subject: '80 % of the runs are used' } })
  expect(mailbox.letters[0]?.mail.text).toContain('4,000 of 5,000 runs are used.')
  expect(receiver.requests).toHaveLength(1)
})

test('an owner who turned mails about monitors off still hears that the runs are used up', async () => {
  const { mailbox, mailer } = await postOffice()
  const failing = await happened({ wantsMail: false })
  await happened({
    kind: 'quota',
    isOfTeam: true,
    wantsMail: false,
    detail: { pool: 'runs', threshold_pct: 100, used: 200, limit: 200, credits_remaining: 0, resets_at: null },
  })
  loop(mailer).start()
  await isHandled(failing.event_id)
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
  expect(mailbox.letters[0]?.mail.subject).toBe('All runs are used, and checks have stopped')
})

test('the end of a trial, locked searches and used picture bytes reach owner and destinations', async () => {
  const { mailbox, mailer } = await postOffice()
  await using receiver = await openReceiver()
  const detail = { threshold_pct: 100, credits_remaining: 0, resets_at: null }
  const options = { kind: 'quota', isOfTeam: true, notifyOn: ['quota'] }
  const deliveries = [{ type: 'webhook', url: receiver.url }] as const
  await happened({ ...options, deliveries, detail: { ...detail, pool: 'trial', used: 14, limit: 14, locked: 3 } })
  await happened({ ...options, detail: { ...detail, pool: 'serp', used: 0, limit: 0, locked: 1 } })
  await happened({ ...options, detail: { ...detail, pool: 'pictures', used: 90, limit: 100 } })
  await happened({ ...options, detail: { ...detail, pool: 'pictures', used: 80, limit: 100, threshold_pct: 80 } })
  loop(mailer).start()
  await requested(receiver, 1)
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 4,
  )
  expect(payloadAt(receiver)).toMatchObject({
    title: 'The trial has ended, and checks have stopped',
    quota: { pool: 'trial', used: 14, limit: 14, locked: 3 },
  })
  expect(new Set(mailbox.letters.map(({ mail }) => mail.subject))).toEqual(
    new Set([
      '80 % of the bytes of pictures are used',
      'SERP monitors are locked',
      'The bytes of pictures are used up',
      'The trial has ended, and checks have stopped',
    ]),
  )
  const text = mailbox.letters.map(({ mail }) => mail.text).join('\n')
  expect(text).toContain('3 monitors are locked: no more checks.')
  expect(text).toContain('1 SERP monitor is locked: no more checks.')
})

test('a destination hears that checks wait for a browser, and not that its own monitor fails', async () => {
  await using receiver = await openReceiver()
  const deliveries = [{ type: 'webhook', url: receiver.url }] as const
  await happened({ isOfTeam: true, detail: { waiting_for_browser: 2 }, deliveries, notifyOn: ['failing'] })
  loop(null).start()
  await requested(receiver, 1)
  expect(payloadAt(receiver)).toMatchObject({
    kind: 'failing',
    title: 'Checks wait for a browser',
    monitor_id: null,
    run_id: null,
    monitor: null,
    failing: { consecutive_failures: 0, error_code: 'not_available' },
  })
})

test('a notice to a destination with a key of a later version has the level of its monitor', async () => {
  await using receiver = await openReceiver()
  const later: object = { type: 'webhook', url: receiver.url, raw: true }
  const plain: DeliveryConfig = { type: 'webhook', url: `${receiver.url}/plain` }
  const deliveries = [later as DeliveryConfig, plain]
  const { monitor_id: id, team_id: team, event_id } = await happened({ deliveries, notifyOn: ['failing'] })
  await check(id, { level: 3 })
  loop(null).start()
  await isHandled(event_id)
  await requested(receiver, 1)
  const levels = 'select level, attempts from notices where team_id = $1 order by level'
  const rows = await eventually(
    async () => (await query(levels, [team])).rows,
    (all) => all.some(({ attempts }) => attempts === 1),
  )
  expect(rows).toEqual([
    { level: 1, attempts: 1 },
    { level: 3, attempts: 0 },
  ])
  expect(receiver.requests).toHaveLength(1)
})

test('a destination hears that work waits for a later version, and what is to be upgraded', async () => {
  await using receiver = await openReceiver()
  const deliveries = [{ type: 'webhook', url: receiver.url }] as const
  const above = { checks: 1, messages: 20, level: 3, workers: true, runners: false }
  await happened({ isOfTeam: true, detail: { above_level: above }, deliveries, notifyOn: ['failing'] })
  loop(null).start()
  await requested(receiver, 1)
  const payload = payloadAt(receiver)
  expect(payload).toMatchObject({
    title: 'Work waits for a later version',
    monitor_id: null,
    failing: { consecutive_failures: 0, error_code: 'above_level' },
  })
  expect(payload['message']).toMatch(/1 check and 20 messages: .*level 3.*\nUpgrade the workers to the version/)
})

test('a runner token that was copied is reported to owner and destinations, whatever they turned off', async () => {
  const { mailbox, mailer } = await postOffice()
  await using receiver = await openReceiver()
  const deliveries = [{ type: 'webhook', url: receiver.url }] as const
  const detail = { runner_token: { job: 'kitchen' }, waiting_for_browser: true }
  await happened({ isOfTeam: true, detail, deliveries, notifyOn: ['failing'], wantsMail: false })
  loop(mailer).start()
  await requested(receiver, 1)
  const payload = payloadAt(receiver)
  expect(payload).toMatchObject({
    title: 'A runner token was revoked: it was copied',
    monitor_id: null,
    failing: { consecutive_failures: 0, error_code: 'runner_token_reused' },
  })
  expect(payload.message).toMatch(/^The runner kitchen had renewed its token.*\n.*create-runner-token --job kitchen/)
  await eventually(
    () => mailbox.letters.length,
    (count) => count === 1,
  )
})

test('a destination hears that monitors without a file were not deleted, and what deletes them', async () => {
  await using receiver = await openReceiver()
  const deliveries = [{ type: 'webhook', url: receiver.url }] as const
  const detail = { not_pruned: 2, declared: 13, names: ['shop/kettle', 'shop/lamp'] }
  await happened({ isOfTeam: true, detail, deliveries, notifyOn: ['failing'] })
  loop(null).start()
  await requested(receiver, 1)
  const payload = payloadAt(receiver)
  expect(payload).toMatchObject({
    kind: 'failing',
    title: 'Monitors without a file were not deleted',
    monitor_id: null,
    monitor: null,
    failing: { consecutive_failures: 0, error_code: null },
  })
  expect(payload.message).toContain('The files of 2 of 13 monitors are gone from the folder')
  expect(payload.message).toContain('--prune deletes at most 1 of so many at once.')
  expect(payload.message).toContain('\n./tidemark delete --yes shop/kettle shop/lamp')
})

test('a message about more monitors than it can name says which command lists them', () => {
  const names = Array.from({ length: 20 }, (_, n) => `shop/${n}`)
  const text = notPrunedText({ not_pruned: 300, declared: 400, names })
  expect(text).toContain('./tidemark admin list-released -o name | xargs -r ./tidemark delete --yes')
  expect(text).not.toContain('shop/0')
})
