import { LIST_LIMITS } from '../../schema/list-limits.ts'
import type { Delivery } from '../../schema/run/delivery.ts'
import { hasValues } from '../../store/db/listed-bytes.ts'
import { type ListedDelivery, readDeliveries } from '../../store/deliveries/deliveries.ts'
import type { StoredDelivery } from '../../store/deliveries/stored-delivery.ts'
import { type Answer, type Call, ok, okParts } from '../http/route.ts'
import { deliveryInList } from '../presenters/listed.ts'
import { shownDelivery, shownDeliveryHead } from '../presenters/shown.ts'

interface Shown {
  /** Their payloads are empty. */
  readonly isLean?: boolean
}

/** Returns the answer with deliveries as `data`, and `rest` behind them. */
export async function answerDeliveries(
  { principal, services, left }: Pick<Call<unknown, unknown, unknown>, 'principal' | 'services' | 'left'>,
  rows: readonly ListedDelivery[],
  rest: object = {},
  { isLean = false }: Shown = {},
): Promise<Answer> {
  const { teamId } = principal
  const reader = { services, principal }
  const text = (row: StoredDelivery) => deliveryInList(shownDeliveryHead(row, reader), isLean ? '{}' : row.payload)
  const shown = (row: ListedDelivery) =>
    row.bytes > LIST_LIMITS.valueBytes ? (JSON.parse(text(row)) as Delivery) : shownDelivery(row, reader)
  if (hasValues(rows)) return ok({ data: rows.map(shown), ...rest })
  const read = async (group: readonly { readonly id: string }[]) => {
    const ids = group.map(({ id }) => id)
    const byId = new Map((await readDeliveries(services.store, teamId, ids)).map((each) => [each.id, each]))
    return group.flatMap(({ id }) => {
      const stored = byId.get(id)
      return stored ? [text(stored)] : []
    })
  }
  return okParts(
    await services.lists.open({ teamId, rows: rows.map(({ id, bytes }) => ({ id, bytes })), read, rest, left }),
  )
}
