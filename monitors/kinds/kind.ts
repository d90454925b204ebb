import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { Queryable } from '../../store/db/client.ts'
import type { KindTable } from '../../store/monitors/kinds/kind-table.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import type { SpecKind } from './spec-kind.ts'

/**
 * One kind of monitor: everything that differs between the use cases of each. Those who handle all kinds alike take
 * `Kind` without arguments.
 */
export interface Kind<Spec extends EverySpec = EverySpec, Stored extends EveryRow = EveryRow> extends SpecKind<Spec> {
  /** The prefix of its audit actions. */
  readonly audited: 'monitor' | 'serp_monitor'
  readonly table: KindTable<Spec, Stored>
  /** Returns for each record that was just stored what should be known about it. */
  warnings(
    store: Queryable,
    stored: readonly Stored[],
    settings: { readonly serpSpacingMs: number },
  ): Promise<readonly (readonly string[])[]>
}
