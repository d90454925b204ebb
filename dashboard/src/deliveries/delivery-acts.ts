import { ask } from '../api/client.ts'
import { type DeliveriesReleased, type DeliveriesReplayed, LIMITS } from '../api/types.ts'

/** What is done with deliveries: send failed ones again; send those that wait now, or drop them. */
export type DeliveryAct = 'replay' | 'send' | 'drop'

/** What was not done for a delivery, and why. */
interface Refused {
  readonly id: string
  readonly why: string
}

interface Acted {
  readonly done: number
  readonly refused: readonly Refused[]
  /** What ended it before all were asked for. Absent: nothing. */
  readonly error?: unknown
}

/** Does it with deliveries, in batches. A refusal of one stops no other. Throws only where nothing was done. */
export async function actOnDeliveries(act: DeliveryAct, ids: readonly string[]): Promise<Acted> {
  let done = 0
  const refused: Refused[] = []
  for (let from = 0; from < ids.length; from += LIMITS.released) {
    const found = await askFor(act, ids.slice(from, from + LIMITS.released)).catch((error: unknown) => {
      if (from === 0) throw error
      return { results: [], error }
    })
    if ('error' in found) return { done, refused, error: found.error }
    const { results } = found
    for (const { id, error } of results) if (error) refused.push({ id, why: error.message })
    done += results.filter(({ ok }) => ok).length
  }
  return { done, refused }
}

const askFor = (act: DeliveryAct, ids: readonly string[]) =>
  act === 'replay'
    ? ask<DeliveriesReplayed>('/v1/deliveries/replay', { method: 'POST', body: { ids } })
    : ask<DeliveriesReleased>('/v1/deliveries/release', { method: 'POST', body: { ids, action: act } })

const BOOLEANS: readonly string[] = ['given_up', 'missed']

/** Sends again all failed and given-up deliveries that filters of the list leave, which are so many. */
export async function replayMatching(filter: Readonly<Record<string, string>>, expected: number): Promise<Acted> {
  const wanted = Object.entries(filter).filter(([name]) => name !== 'held')
  const body = {
    filter: Object.fromEntries(
      wanted.map(([name, value]) => [name, BOOLEANS.includes(name) ? value === 'true' : value]),
    ),
    expected,
  }
  const { queued } = await ask<DeliveriesReplayed>('/v1/deliveries/replay', { method: 'POST', body })
  return { done: queued, refused: [] }
}
