import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRefusal } from '../app/use-refusal.ts'
import { actOnDeliveries, type DeliveryAct, replayMatching } from './delivery-acts.ts'

/** Which deliveries, or all that filters leave with their number. */
type Wanted =
  | { readonly act: DeliveryAct; readonly ids: readonly string[] }
  | { readonly act: 'replay'; readonly filter: Readonly<Record<string, string>>; readonly count: number }

const DONE = { replay: 'sent again', send: 'sent now', drop: 'dropped' } as const

/** What is done with deliveries, and how it ended. */
export interface DeliveryActs {
  /** Why the person may not. Null: they may. */
  readonly refused: string | null
  readonly isBusy: boolean
  /** How it ended, in words. Null: nothing was done yet. */
  readonly said: string | null
  readonly error: unknown
  act(wanted: Wanted): void
}

/** Does acts on deliveries. `onDone` is called when one has ended. */
export function useDeliveryActs(onDone: () => void = () => {}): DeliveryActs {
  const refused = useRefusal('deliveries.replay')
  const queries = useQueryClient()
  const acting = useMutation({
    mutationFn: (wanted: Wanted) =>
      'ids' in wanted ? actOnDeliveries(wanted.act, wanted.ids) : replayMatching(wanted.filter, wanted.count),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries(),
  })
  return {
    refused,
    isBusy: acting.isPending,
    said: acting.data && acting.variables ? wordsOf(acting.data, DONE[acting.variables.act]) : null,
    error: acting.error ?? acting.data?.error ?? null,
    act: (wanted) => acting.mutate(wanted),
  }
}

function wordsOf({ done, refused }: Awaited<ReturnType<typeof actOnDeliveries>>, verb: string): string {
  const words = `${done.toLocaleString('en')} ${done === 1 ? 'is' : 'are'} ${verb}.`
  const [first] = refused
  if (first === undefined) return words
  return `${words} ${refused.length.toLocaleString('en')} ${refused.length === 1 ? 'is' : 'are'} not: ${first.why}`
}
