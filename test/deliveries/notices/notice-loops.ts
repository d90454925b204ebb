import { randomUUID } from 'node:crypto'
import type { SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createChannels } from '../../../deliveries/channels/channels.ts'
import type { DeliveryLoop } from '../../../deliveries/loop/delivery-loop.ts'
import type { Mailer } from '../../../deliveries/mail/mailer.ts'
import { createNoticeLoop } from '../../../deliveries/notices/notice-loop.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { openOutbox, type Outbox, SECRET } from '../../support/database/outbox.ts'
import { mailerTo } from '../../support/mail/mail-sending.ts'
import { LINKS, type Mailbox, openMailbox } from '../../support/mail/mailbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { NO_METRICS } from '../../support/worker/no-delivery-metrics.ts'

interface EventOptions {
  readonly kind?: string
  readonly name?: string
  readonly url?: string
  /** The monitor is that of a search for kettles. */
  readonly isSearch?: boolean
  readonly reason?: string
  readonly deliveries?: readonly DeliveryConfig[]
  readonly notifyOn?: readonly string[]
  readonly detail?: object
  /** The event is about the team. */
  readonly isOfTeam?: boolean
  readonly wantsMail?: boolean
}

interface SeenNotice {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly response_body: string | null
  readonly due_in: number | null
}

/** Sets a database, mail servers and loops up for the tests of one file, and takes them down. */
export function noticeLoops() {
  let outbox: Outbox
  beforeAll(async () => {
    outbox = await openOutbox()
  })
  afterAll(() => outbox[Symbol.asyncDispose]())

  const agent = createGuardedAgent(createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }))
  afterAll(() => agent.destroy())

  let loops: DeliveryLoop[]
  let open: { mailbox: Mailbox; mailer: Mailer & Disposable }[]
  beforeEach(() => {
    loops = []
    open = []
  })
  afterEach(async () => {
    await Promise.all(loops.map((loop) => loop.drain(0)))
    for (const { mailer } of open) mailer[Symbol.dispose]()
    await Promise.all(open.map(({ mailbox }) => mailbox[Symbol.asyncDispose]()))
    await outbox.query('truncate notices, notice_events, dead_destinations')
    await outbox.setClock(0)
  })

  async function postOffice(options: SMTPServerOptions = {}) {
    const mailbox = await openMailbox(options)
    const mailer = mailerTo(`smtp://127.0.0.1:${mailbox.port}`)
    open.push({ mailbox, mailer })
    return { mailbox, mailer }
  }
  function loop(mailer: Mailer | null): DeliveryLoop {
    const made = createNoticeLoop({
      store: outbox.store,
      secrets: outbox.secrets,
      channels: createChannels({ agent, mailer, ...LINKS }),
      links: LINKS,
      hasMail: mailer !== null,
      log: { info() {}, warn() {}, error() {} },
      metrics: NO_METRICS,
      leaseSeconds: 60,
      perHost: 5,
      idleMs: 50,
    })
    loops.push(made)
    return made
  }

  /** A team with an owner, its monitor that failed, and the event of it. */
  async function happened({
    kind = 'failing',
    name = 'Kettle',
    url = 'https://example.com/k',
    reason = 'The page answered 500.',
    deliveries = [],
    notifyOn = [],
    detail = { consecutive_failures: 5 },
    isOfTeam = false,
    isSearch = false,
    wantsMail = true,
  }: EventOptions = {}) {
    const email = `owner-${randomUUID()}@example.com`
    const team_id = randomUUID()
    const monitorId = randomUUID()
    const place = (column: 'monitors.deliveries' | 'monitors.signing_secret') =>
      ({ teamId: team_id, column, rowId: monitorId }) as const
    const { rows } = await outbox.query(
      `with u as (insert into auth.users (name, email, email_verified) values ('O', $1, true) returning id),
       t as (insert into teams (id, name, owner_user_id, tier, error_notifications)
         select $6, 'T', id, 'scale', $12 from u returning id),
       parts as (select kind.*, search.* from
         (select 'page' as kind, $3::text as url, '{}'::jsonb as config, 'auto' as mode where not $14
           union all select 'serp', null, null, null where $14) kind
         left join (select 'kettles' as keyword, 'google' as engine, 'full_analysis' as serp_mode, 1 as pages,
           'us' as at, 'en' as language, 'desktop' as device) search on $14),
       m as (insert into monitors (id, team_id, user_id, name, schedule_interval_seconds, deliveries, signing_secret,
         notify_on, kind, url, extract_config, diff_predicate, fetch_mode, keyword, engine, mode, pages, location_code,
         language_code, device)
         select $13, t.id, gen_random_uuid(), $2, 600, $7, $8, $9, kind, url, config, config, parts.mode, keyword,
           engine, serp_mode, pages, at, language, device
         from t, parts
         returning id, no, team_id),
       r as (insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, error_code, error_message)
         select no, new_run_id(clock(), no), team_id, 0, 1, 'error', 'http_error', $4 from m returning id)
       insert into notice_events (team_id, monitor_no, run_id, kind, detail, key)
       select m.team_id, case when not $11 then m.no end, case when not $11 then r.id end, $5, $10,
         gen_random_uuid()::text from m, r
       returning id as event_id, run_id, (select id from m) as monitor_id`,
      [
        email,
        name,
        url,
        reason,
        kind,
        team_id,
        outbox.secrets.seal(place('monitors.deliveries'), deliveries),
        outbox.secrets.seal(place('monitors.signing_secret'), SECRET),
        notifyOn,
        JSON.stringify(detail),
        isOfTeam,
        wantsMail,
        monitorId,
        isSearch,
      ],
    )
    return { email, team_id, ...(rows[0] as { event_id: string; run_id: string; monitor_id: string }) }
  }
  /** Gives the monitor a check of a level, with a mute where there is one. */
  const check = (monitorId: string, { level = 1, mute }: { level?: number; mute?: object }) =>
    outbox.query(
      `insert into checks (no, team_id, queue, interval_seconds, shift_seconds, level, mute)
       select no, team_id, 'static', 600, 0, $2, $3 from monitors where id = $1`,
      [monitorId, level, mute && JSON.stringify(mute)],
    )
  /** Mutes the monitor until then. */
  const mute = (monitorId: string, until: string | null) => check(monitorId, { mute: { until, drop: true } })
  /** The one message of a team. */
  const see = async (teamId: string): Promise<SeenNotice | undefined> =>
    (
      await outbox.query(
        `select id, status, attempts, response_body, extract(epoch from due_at - clock())::float8 as due_in ` +
          `from notices where team_id = $1`,
        [teamId],
      )
    ).rows[0]
  const until = (teamId: string, condition: (seen: SeenNotice) => boolean) =>
    eventually(
      () => see(teamId),
      (seen) => seen !== undefined && condition(seen),
    )
  const isHandled = (eventId: string) =>
    eventually(
      async () => (await outbox.query('select due_at from notice_events where id = $1', [eventId])).rows[0].due_at,
      (due) => due === null,
    )

  return {
    postOffice,
    loop,
    happened,
    check,
    mute,
    see,
    until,
    isHandled,
    setClock: (seconds: number) => outbox.setClock(seconds),
    query: (text: string, values?: unknown[]) => outbox.query(text, values),
  }
}
