import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { ServedKind } from '../../../api/routes/monitors/served-kind.ts'
import type { InstalledKind } from '../../../boot/kinds.ts'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { readingHash } from '../../../core/diff/reading-hash.ts'
import { MADE_UP_ID } from '../../../core/example-change.ts'
import { deliveryPayload } from '../../../core/payload.ts'
import { noticesAfter } from '../../../core/run-notices.ts'
import type { Kind } from '../../../monitors/kinds/kind.ts'
import type { Task } from '../../../runners/check/task.ts'
import { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { ExternalKey, Labels } from '../../../schema/monitor/labels.ts'
import { type MonitorSpec, stateOfMonitor } from '../../../schema/monitor/monitor.ts'
import { Closed, Text, Whole } from '../../../schema/shape/shape.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import type { Store } from '../../../store/db/client.ts'
import { rowOf } from '../../../store/db/row.ts'
import { newDelivery } from '../../../store/deliveries/delivery-row.ts'
import type { Noticed } from '../../../store/deliveries/run-events.ts'
import { kindTable, PLAIN_RESULTS, rowProperties } from '../../../store/monitors/kinds/kind-table.ts'
import { identityOf, openDeliveries, Stored } from '../../../store/monitors/kinds/monitor-row.ts'
import type { Claimed } from '../../../store/queue/claim.ts'
import { type ReadingRun, recordReadings } from '../../../store/queue/record-reading.ts'
import { PLAIN_RUNS } from '../../../store/queue/runs-of-kind.ts'
import { PAGE_SERIES } from '../../../store/runs/series-table.ts'
import type { WorkKind } from '../../../worker/kinds/work-kind.ts'
import { knownOf } from '../../../worker/queue/claimed.ts'
import { destinationsOf } from '../../../worker/record/outbox.ts'
import { checkColumns, markColumns, UNMARKED } from '../../../worker/record/run-writers.ts'

/** What a migration of the kind would say. */
export const CONSTANT_MIGRATION = `
  alter table monitors add column constant text,
    drop constraint monitors_kind_check, add check (kind in ('page', 'serp', 'constant')),
    add constraint constant_parts check (
      kind <> 'constant' and constant is null or kind = 'constant' and num_nulls(constant) = 0
      and num_nonnulls(url, extract_config, diff_predicate, fetch_mode, keyword, engine) = 0)`

const needed = {
  name: Text(1, 200, 'Its name.'),
  schedule_interval_seconds: Whole(60, 86_400, { description: 'Seconds between two checks.' }),
  constant: Text(1, 200, 'What a check of it reads.'),
}
const given = {
  deliveries: Type.Array(DeliveryConfig, { maxItems: 5, default: [] }),
  notify_on: Type.Array(Stored<MonitorSpec['notify_on'][number]>(), { maxItems: 5, default: [] }),
  external_key: ExternalKey,
  labels: Labels,
}
const ConstantSpec = Closed({ ...needed, ...given })
type ConstantSpec = Static<typeof ConstantSpec>

const OWN = { constant: { schema: Type.String(), type: 'text', isCounted: true } } as const
const PROPERTIES = rowProperties(OWN, {
  kind: Type.Literal('constant'),
  notify_on: Stored<MonitorSpec['notify_on']>(),
})
const ConstantRow = Type.Object(PROPERTIES)
type ConstantRow = Static<typeof ConstantRow>

const KIND: Kind<ConstantSpec, ConstantRow> = {
  resource: {
    kind: 'Constant',
    plural: 'constants',
    singular: 'constant',
    shortName: 'const',
    collection: 'constants',
    declares: 'constant',
  },
  definition: ConstantSpec,
  patch: Type.Partial(Closed({ ...needed, ...given }), { additionalProperties: false }),
  check(body) {
    const checked = checkerOf(ConstantSpec).validate(body, { defaults: true })
    return checked.ok ? { kind: 'valid', spec: checked.value } : { kind: 'invalid', issues: checked.issues }
  },
  implied: () => ({}),
  undeclared: () => ({}),
  change: (before, after) => ({
    changed: (Object.keys(after) as (keyof ConstantSpec)[]).filter(
      (key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]),
    ),
    resetsBaseline: false,
    startsOver: false,
  }),
  remarks: () => [],
  example: ({ nowMs, monitorId = MADE_UP_ID }, { name, constant }) => ({
    monitorId,
    runId: MADE_UP_ID,
    firedAtMs: nowMs,
    diff: { fields_changed: ['constant'], before: { constant: null }, after: { constant } },
    monitor: { url: 'https://example.com/', name },
  }),
  audited: 'monitor',
  table: kindTable<ConstantSpec, typeof PROPERTIES, ConstantRow>(
    {
      kind: 'constant',
      own: OWN,
      hasHeaders: false,
      nextRunAt: sql.fragment`c.next_run_at`,
      target: sql.fragment`m.constant`,
      teams: sql.fragment`select clock() as at, t.id, t.trial_over as locked from teams t`,
      runs: PLAIN_RUNS,
      results: PLAIN_RESULTS,
      check: () => ({ queue: 'static', cost: 1, is_isolated: false, level: 1 }),
      edited: () => [],
    },
    PROPERTIES,
    (stored, secrets) => ({
      name: stored.name,
      schedule_interval_seconds: stored.schedule_interval_seconds,
      constant: stored.constant,
      deliveries: openDeliveries(stored, secrets),
      notify_on: stored.notify_on,
      ...identityOf(stored),
    }),
  ),
  warnings: async (_store, stored) => stored.map(() => []),
}

const Record = Closed({
  ...stateOfMonitor,
  ...needed,
  ...given,
  status: Type.String(),
})

const SERVED: ServedKind<ConstantSpec, ConstantRow> = {
  kind: KIND,
  path: '/v1/constants',
  noun: 'constant',
  tag: 'Constants',
  record: Record,
  create: Closed({ ...needed, ...Type.Partial(Type.Object(given)).properties }),
  query: {},
  series: PAGE_SERIES,
  describes: { create: 'Creates it.', edit: 'Edits it.', resume: 'Resumes it.', run: 'Runs it.' },
  own: { afterCreate: [], afterRun: [], afterRuns: [] },
}

interface ConstantTask extends Task<'constant'> {
  readonly constant: string
}

const Baseline = Type.Object({
  extracted: Stored<Readonly<Record<'constant', string>> | null>(),
  monitor_id: Type.String(),
  name: Type.String(),
  deliveries: Stored<Buffer | null>(),
})
const baseline = rowOf(Baseline)

const findBaseline = (store: Store, { no, fence }: Task) =>
  store.maybeOne(sql.type(baseline)`
    select case when c.reading_id is not null then b.extracted end as extracted, m.id as monitor_id, m.name,
      m.deliveries
    from checks c join monitors m on m.no = c.no left join baselines b on b.no = c.no
    where c.no = ${no} and c.fence = ${fence} and c.run_id is not null`)

/** What a reading of it has nothing of. */
const NOTHING = { missing: null, lists: null, empty: null, read_by: 0, layers: null }

const WORK: WorkKind<ConstantTask, Claimed & { readonly constant: string }> = {
  kind: 'constant',
  check: async ({ constant }) => ({
    kind: 'values',
    fetchMethod: 'static',
    mark: UNMARKED,
    values: { constant },
    warnings: [],
  }),
  claimed: {
    columns: sql.fragment` m.constant`,
    row: { kind: Type.Literal('constant'), constant: Type.String() },
  },
  taskOf: (row, { queue, ...claiming }) => ({
    ...knownOf(row, claiming),
    kind: 'constant',
    queue,
    host: 'constant',
    obstacle: null,
    constant: row.constant,
  }),
  isProxied: false,
  outcomeOf: () => ({ ok: false, issues: [] }),
  settling: ({ recorder }) => ({
    async settle({ reading, ...finished }, context) {
      if (reading.kind === 'text' || reading.kind === 'moved') throw new TypeError(`a constant is not ${reading.kind}`)
      await recorder.record({ ...finished, reading }, context)
      return true
    },
  }),
  recording({ store, secrets, writers }) {
    const readings = writers.writer<ReadingRun & Noticed>((on, rows) => recordReadings(on, rows), {
      onWritten: writers.wakeDeliveries,
    })
    return {
      async record({ finished, task, context }) {
        const { reading, endedMs } = finished
        if (reading.kind !== 'values') throw new TypeError(`a constant cannot be ${reading.kind}`)
        const before = await findBaseline(store, task)
        if (before === null) return null
        const { values } = reading
        const diff = before.extracted && diffValues(before.extracted, values, ['constant'])
        const { teamId, health } = context
        const monitor = { url: 'https://constant.example/', name: before.name }
        const about = { monitorId: before.monitor_id, runId: task.runId, firedAtMs: endedMs, diff, monitor }
        const destinations = diff ? destinationsOf({ teamId, baseline: before }, secrets) : []
        await readings.add({
          ...checkColumns(finished),
          ...markColumns(UNMARKED),
          ...NOTHING,
          fetch_method: reading.fetchMethod,
          fetch_reason: null,
          reading_hash: Buffer.from(readingHash(values)),
          extracted: JSON.stringify(values),
          diff: diff && JSON.stringify(diff),
          warnings: null,
          notices: noticesAfter(health, false),
          fired: diff !== null,
          deliveries: destinations.map((config, place) =>
            newDelivery({
              ...{ secrets, teamId, config, at: endedMs, place },
              payload: (id) => deliveryPayload({ id, ...about }),
            }),
          ),
        })
        if (before.extracted === null) return { outcome: 'first', fired: false }
        return { outcome: diff ? 'changed' : 'unchanged', fired: diff !== null }
      },
    }
  },
}

/** A kind of monitor that no file of the product knows: each check of it reads the text that it is configured with. */
export const CONSTANT: InstalledKind = { served: SERVED, work: WORK }
