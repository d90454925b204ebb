import type { HoldReason } from '../../../schema/monitor/quiet-hours.ts'
import { runStatement, type Statements } from './stored-rows.ts'

/** Retention has taken all of them. */
export const dropDeliveries = (on: Statements): Promise<void> => runStatement(on, 'delete from deliveries')

/** No statement finds their table until `returnDeliveries`. */
export const hideDeliveries = (on: Statements): Promise<void> =>
  runStatement(on, 'alter table deliveries rename to deliveries_away')

export const returnDeliveries = (on: Statements): Promise<void> =>
  runStatement(on, 'alter table deliveries_away rename to deliveries')

/** All of them have ended. */
export const endDeliveries = (on: Statements, status: 'success' | 'dead'): Promise<void> =>
  runStatement(on, `update deliveries set status = '${status}', due_at = null, next_attempt_at = null`)

/** The store takes no result of this status until `takeResults`. */
export const refuseResults = (on: Statements, status: number): Promise<void> =>
  runStatement(on, `alter table deliveries add constraint refused check (response_status <> ${status})`)

export const takeResults = (on: Statements): Promise<void> =>
  runStatement(on, 'alter table deliveries drop constraint refused')

/** These wait for so many hours more; `held`: for a later hour, before their first attempt. */
export const putOffDeliveries = (
  on: Statements,
  ids: readonly string[],
  hours: number,
  held: HoldReason | null = null,
): Promise<void> =>
  runStatement(
    on,
    `update deliveries set due_at = clock() + interval '${hours} hours', next_attempt_at = clock() + interval
      '${hours} hours', held = ${held ? `'${held}'` : 'null'} where id in (${ids.map((id) => `'${id}'`).join()})`,
  )

/** All of them were made so much earlier: '10 years'. */
export const ageDeliveries = (on: Statements, age: string): Promise<void> =>
  runStatement(on, `update deliveries set created_at = created_at - interval '${age}'`)
