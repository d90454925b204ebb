import type { TProperties, TSchema } from 'typebox'
import type { Kind } from '../../../monitors/kinds/kind.ts'
import type { EverySpec } from '../../../schema/monitor/every-spec.ts'
import type { EveryRow } from '../../../store/monitors/kinds/monitor-row.ts'
import type { SeriesTable } from '../../../store/runs/series-table.ts'
import type { Route } from '../../http/route.ts'

/** How the API serves a kind of monitor. */
export interface ServedKind<Spec extends EverySpec = EverySpec, Row extends EveryRow = EveryRow> {
  readonly kind: Kind<Spec, Row>
  readonly path: `/v1/${string}`
  readonly noun: string
  readonly tag: string
  readonly record: TSchema
  readonly create: TSchema
  /** What narrows its list. */
  readonly query: TProperties
  /** How the numbers of its runs are read over time. */
  readonly series: SeriesTable
  /** What OpenAPI says of these routes. */
  readonly describes: Readonly<Record<'create' | 'edit' | 'resume' | 'run', string>>
  /** Routes that only this kind has, each where OpenAPI lists it. */
  readonly own: {
    readonly afterCreate: readonly Route[]
    readonly afterRun: readonly Route[]
    readonly afterRuns: readonly Route[]
  }
}
