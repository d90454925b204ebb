import { runStatement, type Statements } from './stored-rows.ts'

/** Retention has taken all of them. */
export const dropDeliveries = (on: Statements): Promise<void> => runStatement(on, 'delete from deliveries')

/** No statement finds their table until `returnDeliveries`. */
export const hideDeliveries = (on: Statements): Promise<void> =>
  runStatement(on, 'alter table deliveries rename to deliveries_away')

export const returnDeliveries = (on: Statements): Promise<void> =>
  runStatement(on, 'alter table deliveries_away rename to deliveries')
