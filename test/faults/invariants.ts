import { expect } from 'vitest'
import { until } from '../support/run/until.ts'
import type { FaultService } from './fault-service.ts'
import type { Arrival } from './sink.ts'

/** Something that must never be: its rows are the counterexamples. */
interface Invariant {
  readonly sentence: string
  /** LEASE in it is that of the service, in seconds. */
  readonly sql: string
}

const EXTRACTED =
  `coalesce(r.extracted, (select p.extracted from runs p where p.monitor_no = r.monitor_no and p.id = ` +
  `r.reading_id)) ->> 'version'`

/** What holds while the workers work, once they had time to recover. */
const AT_WORK: readonly Invariant[] = [
  {
    sentence: 'I4: no monitor that is scheduled is silent for longer than two intervals and ten seconds.',
    sql: `select no, due_at, next_run_at, clock() from checks
      where next_run_at is not null and due_at < clock() - make_interval(secs => 2 * interval_seconds + 10)`,
  },
  {
    sentence:
      'I4: no monitor is put off by more than an interval and a minute, or a lease and a minute while it is checked.',
    sql: `select no, run_id, due_at, next_run_at, clock() from checks
      where next_run_at > clock() + make_interval(secs => interval_seconds + shift_seconds + 60)
        or due_at > clock() + make_interval(secs => 60 + case when run_id is null then interval_seconds + shift_seconds
          else LEASE end)`,
  },
  {
    sentence: 'I5: no run is under a lease that ended ten seconds ago.',
    sql: `select no, run_id, due_at from checks where run_id is not null and due_at < clock() - interval '10 seconds'`,
  },
]

/** What holds when nothing is under way. */
const AT_REST: readonly Invariant[] = [
  {
    sentence: 'I1: every run that was claimed is on record.',
    sql: `select distinct s.no, s.run from fault.check_steps s
      where s.step = 'claim' and not exists (select from runs r where r.monitor_no = s.no and r.id = s.run)`,
  },
  {
    sentence: 'I1: every run on record was claimed, and recorded once.',
    sql: `select r.monitor_no, r.id from runs r
      where (select count(*) from fault.check_steps s where s.step = 'record' and s.no = r.monitor_no
        and s.old_run = r.id) <> 1
        or not exists (select from fault.check_steps s where s.step = 'claim' and s.no = r.monitor_no
          and s.run = r.id)`,
  },
  {
    sentence: 'I1: the count of a monitor is that of its runs.',
    sql:
      `select c.no, c.runs_total from checks c where c.runs_total <> (select count(*) from runs r where ` +
      `r.monitor_no = c.no)`,
  },
  {
    sentence: 'I2: a nominal time has one run.',
    sql: `select no, nominal, count(distinct run) from fault.check_steps
      where step = 'claim' and old_queued is null and nominal is not null
      group by no, nominal having count(distinct run) > 1`,
  },
  {
    sentence: 'I3: no check is claimed while the lease of another claim lives.',
    sql: `select * from fault.check_steps where step = 'claim' and old_run is not null and old_due > at`,
  },
  {
    sentence: 'I3: no delivery is claimed while the lease of another claim lives.',
    sql: `select * from fault.delivery_steps where step = 'claim' and old_due > at`,
  },
  {
    sentence: 'I6: a check is recorded, and its lease extended, by the worker that holds its fence.',
    sql: `select s.* from fault.check_steps s
      where s.step in ('record', 'heartbeat', 'release') and s.who <> (
        select c.who from fault.check_steps c where c.step = 'claim' and c.no = s.no and c.seq < s.seq
          order by c.seq desc limit 1)`,
  },
  {
    sentence: 'I6: a delivery is recorded by the worker that holds its fence.',
    sql: `select s.* from fault.delivery_steps s
      where s.step in ('record', 'release') and s.who <> (
        select c.who from fault.delivery_steps c where c.step = 'claim' and c.id = s.id and c.seq < s.seq
          order by c.seq desc limit 1)`,
  },
  {
    sentence: 'I1: what broke here is never reported as a fault of the page, which was well all the time.',
    sql: `select r.monitor_no, r.id, r.error_code, r.error_message from runs r join monitors m on m.no = r.monitor_no
      where m.name like 'Page %' and r.status <> 'success'`,
  },
  {
    sentence:
      'I7: a run tells a difference if, and only if, its value differs from that of the success recorded before it.',
    sql: `select * from (
        select r.monitor_no, r.id, r.diff is not null as changes, ${EXTRACTED} as value,
          lag(${EXTRACTED}) over (partition by r.monitor_no
            order by s.seq) as before, row_number() over (partition by r.monitor_no order by s.seq) as nth
        from runs r join fault.check_steps s on s.step = 'record' and s.no = r.monitor_no and s.old_run = r.id
        where r.status = 'success'
      ) w
      where value is null or changes <> (nth > 1 and value is distinct from before)`,
  },
  {
    sentence: 'I7: a difference that fired has one delivery, and nothing else has any.',
    sql: `select r.monitor_no, r.id, r.delivery_triggered from runs r
      where r.delivery_triggered <> (r.diff is not null)
        or (select count(*) from deliveries d where d.run_id = r.id) <> case when r.delivery_triggered then 1 else 0 end
      union all
      select d.monitor_no, d.run_id, null from deliveries d where not exists (select from runs r
        where r.monitor_no = d.monitor_no and r.id = d.run_id)`,
  },
  {
    sentence: 'I7: a page that lists its versions has shown each of them once: none is forgotten, and none made up.',
    sql: `select b.no, b.extracted ->> 'version' as version, octet_length(s.items) as bytes
      from baselines b left join seen_items s on s.no = b.no and s.field = 'items'
      where b.extracted -> 'items' is not null
        and octet_length(s.items) is distinct from 12 * substr(b.extracted ->> 'version', 2)::int`,
  },
  {
    sentence: 'I8: every delivery has succeeded, waits for its next attempt, was refused or is dead.',
    sql: `select id, status, attempts, due_at from deliveries
      where not case status when 'success' then due_at is null and attempts > 0 when 'dead' then due_at is null
        and attempts = 6
        when 'failed' then attempts > 0 else due_at is not null end`,
  },
  {
    sentence: 'I9: the quota counts each run once.',
    sql:
      `select team_id, runs_used from team_usage u where runs_used <> (select count(*) from runs r where r.team_id ` +
      `= u.team_id)`,
  },
]

interface Judgement {
  /** Faults that may each have made a delivery be sent once more. Default 0: each is sent once. */
  readonly faults?: number
}

/** Call it when the service has caught up. Leaves the service at rest. */
export async function judgeInvariants(service: FaultService, { faults = 0 }: Judgement = {}): Promise<void> {
  // A worker that this machine gives no time is late too; who is stuck stays so.
  await until(
    () => counterexamples(service, AT_WORK),
    (late) => late.length === 0,
  )
  await service.quiesce()
  expect([...(await counterexamples(service, AT_REST)), ...(await scanSink(service, faults))]).toEqual([])
  const [work] = await service.query<{ runs: number; changes: number }>(
    'select count(*)::int as runs, count(diff)::int as changes from runs',
  )
  // Nothing at all would break no invariant.
  expect(work?.runs).toBeGreaterThan(service.monitors)
  expect(work?.changes).toBeGreaterThanOrEqual(service.monitors)
  const sent = service.sink.arrivals.length
  process.stdout.write(`${work?.runs} runs, ${work?.changes} changes, ${sent} webhooks\n`)
}

async function counterexamples(
  { query, leaseSeconds }: FaultService,
  invariants: readonly Invariant[],
): Promise<object[]> {
  const found: object[] = []
  for (const { sentence, sql } of invariants)
    for (const row of (await query(sql.replaceAll('LEASE', String(leaseSeconds)))).slice(0, 5))
      found.push({ sentence, ...row })
  return found
}

/** I8 as the receiver sees it. */
async function scanSink({ query, sink, pages }: FaultService, faults: number): Promise<object[]> {
  const found: object[] = []
  const rows = await query<{
    id: string
    payload: string
    status: string
    page: number
    before: string
    after: string
  }>(
    `select d.id, d.payload, d.status, split_part(m.url, '/', 4)::int as page,
       d.payload::json -> 'diff' -> 'before' ->> 'version' as before, d.payload::json -> 'diff' -> 'after' ->>
         'version' as after
     from deliveries d join monitors m on m.no = d.monitor_no
     join fault.check_steps s on s.step = 'record' and s.no = d.monitor_no and s.old_run = d.run_id order by s.seq`,
  )
  const known = new Map(rows.map((row) => [row.id, row]))
  const arrivals = Map.groupBy(sink.arrivals, ({ id }) => id)
  for (const [id, same] of arrivals)
    found.push(...same.flatMap((arrival) => wrongAbout(arrival, known.get(id)?.payload)), ...tooMany(id, same, faults))
  for (const { id, status } of rows)
    if (status === 'success' && !arrivals.get(id)?.some((arrival) => arrival.status !== null && arrival.status < 300))
      found.push({ sentence: 'I8: what is called a success has arrived.', id })
  for (const [page, changes] of Map.groupBy(rows, (row) => row.page)) {
    // What was told of a page leads from its first version to its present one without a gap.
    const steps = ['v1', ...changes.map(({ after }) => after)]
    const isChain = changes.every(({ before }, n) => before === steps[n]) && steps.at(-1) === `v${pages.version(page)}`
    if (!isChain)
      found.push({ sentence: 'I8: what was told of a page is the whole way of it.', page, steps: steps.join(' ') })
  }
  return found
}

function wrongAbout(arrival: Arrival, payload: string | undefined): object[] {
  if (payload === undefined) return [{ sentence: 'I8: nothing is sent that is not on record.', id: arrival.id }]
  return payload === arrival.body
    ? []
    : [{ sentence: 'I8: what is sent again is the same to the byte.', id: arrival.id, body: arrival.body }]
}

const tooMany = (id: string, same: readonly Arrival[], faults: number): object[] =>
  same.length <= 1 + faults ? [] : [{ sentence: 'I8: a fault makes at most one more sending.', id, times: same.length }]
