import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { MonitorSummary } from '../../core/overview/monitor-summary.ts'
import type { MessageConfig } from '../../schema/message/message.ts'
import type { DigestConfig } from '../../schema/monitor/digest.ts'
import type { Mute } from '../../schema/monitor/mute.ts'
import type { QuietHours } from '../../schema/monitor/quiet-hours.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { FetchMethod } from '../../schema/run/run.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import type { Store } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { unnest } from '../db/row.ts'
import type { VisualBaseline } from './record-pictured.ts'

/**
 * The last reading of a field by a layer (worker/record/by-layer.ts). Once another layer has reported a change of it,
 * its value is assumed, or outdated.
 */
export interface Expected {
  readonly value: Json
  readonly is: 'read' | 'assumed' | 'outdated'
}

/** The fields that a layer last read otherwise than the baseline. */
export type LayerFields = Readonly<Record<string, Expected>>

/** The current baseline and configuration that a reading is compared with and judged by. */
const Baseline = Type.Object({
  no: Type.Integer(),
  /** Null: there is no baseline. This reading becomes the baseline, without a notification. */
  reading_id: Type.Union([Type.String(), Type.Null()]),
  extracted: Type.Unknown(),
  /** The counts that worker/record/judge.ts keeps. Null: nothing is missing. */
  missing: Type.Unsafe<Readonly<Record<string, number>> | null>({}),
  /** The items of lists that are empty since a moment, and numbers before others. Null: there are none. */
  lists: Type.Unsafe<Values | null>({}),
  /** How many readings in a row had only empty fields; also without a baseline. Null: the last one had a value. */
  empty: Type.Union([Type.Integer(), Type.Null()]),
  /** The layers whose last reading equals this one, as bits, and what the others last read otherwise. */
  read_by: Type.Integer(),
  layers: Type.Unsafe<Readonly<Partial<Record<FetchMethod, LayerFields>>> | null>({}),
  /** The readable text of a whole page. Null: none is kept. */
  text_key: Type.Unsafe<Buffer | null>({}),
  /** The monitor's row in lists. Null: an earlier version recorded the last reading, or there was none. */
  summary: Type.Unsafe<MonitorSummary | null>({}),
  monitor_id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  diff_predicate: Type.Unknown(),
  deliveries: Type.Unsafe<Buffer | null>({}),
  quiet_hours: Type.Unsafe<QuietHours | null>({}),
  message: Type.Unsafe<MessageConfig | null>({}),
  digest: Type.Unsafe<DigestConfig | null>({}),
  mute: Type.Unsafe<Mute | null>({}),
  labels: Type.Unsafe<Readonly<Record<string, string>>>({}),
  /** Null: the visual layer was never configured. */
  visual_config: Type.Unsafe<VisualConfig | null>({}),
  /** The pictures that the next ones are compared with. Null: the next ones are the first. */
  pictures: Type.Unsafe<VisualBaseline | null>({}),
})
export type Baseline = Static<typeof Baseline>
const baseline = rowOf(Baseline)

/**
 * Returns the baselines of claimed checks. No lock is needed: decisions based on them are written under the same
 * fence, and every change of a baseline (a record, an edit) raises the fence first. A check that lost its fence is
 * missing from the result.
 */
export async function readBaselines(
  store: Store,
  checks: readonly { no: number; fence: number }[],
): Promise<ReadonlyMap<number, Baseline>> {
  const rows = await store.any(sql.prepared('read_baselines', baseline)`
    select c.no, c.reading_id, c.read_by, b.empty, b.summary,
      m.id as monitor_id, m.name, m.url, m.diff_predicate, m.deliveries, m.quiet_hours, m.message, m.digest, c.mute,
      coalesce(m.labels, '{}') as labels,
      m.visual_config,
      case when c.reading_id is not null then b.extracted end as extracted,
      case when c.reading_id is not null then b.missing end as missing,
      case when c.reading_id is not null then b.lists end as lists,
      case when c.reading_id is not null then b.text_key end as text_key,
      case when c.reading_id is not null then b.layers end as layers,
      case when v.no is not null then json_build_object(
        'layer', v.layer, 'thumb', v.thumb_id, 'regions', v.regions, 'other', v.other) end as pictures
    from ${unnest('i', checks, { no: 'int8', fence: 'int4' })}
    join checks c on c.no = i.no and c.fence = i.fence
    join monitors m on m.no = c.no and m.kind = 'page'
    left join baselines b on b.no = c.no
    left join visual_baselines v on v.no = c.no and c.reading_id is not null
  `)
  return new Map(rows.map((found) => [found.no, found]))
}
