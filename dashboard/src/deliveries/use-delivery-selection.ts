import { useState } from 'react'
import type { DeliveryCounts, FailingDestinations } from '../api/types.ts'
import { LIMITS } from '../api/types.ts'
import type { Command } from '../parts/commands.ts'
import type { Question } from './ask-dialog.tsx'
import type { DeliveryAct } from './delivery-acts.ts'
import { askedOf, type DeliveryFilters } from './delivery-filters.ts'
import type { Listed } from './use-deliveries.ts'
import { type DeliveryActs, useDeliveryActs } from './use-delivery-acts.ts'
import { whyNotAgain } from './words.ts'

/** More than so many messages are sent only after a question. */
const ASKED_ABOVE = 10

interface Shown {
  readonly filters: DeliveryFilters
  readonly rows: readonly Listed[]
  readonly counts: DeliveryCounts | null
}

/** Which deliveries are selected, and what is done with them. */
export interface DeliverySelection {
  readonly chosen: readonly Listed[]
  readonly acts: DeliveryActs
  /** What is asked before it is done. Null: nothing. */
  readonly question: Question | null
  readonly commands: readonly Command[]
  /** How many failed and given-up deliveries the filters leave. */
  readonly matching: number
  isChosen(id: string): boolean
  choose(id: string): void
  clear(): void
  /** Why it cannot be done with what is selected. Null: it can. */
  reasonOf(act: DeliveryAct): string | null
  act(act: DeliveryAct): void
  actOn(act: DeliveryAct, rows: readonly Listed[]): void
  /** Sends all that the filters leave again. */
  replayAll(): void
  replayDestination(destination: FailingDestinations['data'][number]): void
  forget(): void
}

export function useDeliverySelection({ filters, rows, counts }: Shown): DeliverySelection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const [question, setQuestion] = useState<Question | null>(null)
  const clear = () => setIds(new Set())
  const acts = useDeliveryActs(clear)
  const chosen = rows.filter(({ id }) => ids.has(id))
  const matching = matchingOf(filters, counts)
  const reasonOf = (act: DeliveryAct, on: readonly Listed[]) => acts.refused ?? whyNone(act, on)
  const ask = (count: number, asked: Question) => (count > ASKED_ABOVE ? setQuestion(asked) : asked.onYes())
  function actOn(act: DeliveryAct, on: readonly Listed[]) {
    if (acts.isBusy || reasonOf(act, on) !== null) return
    const wanted = on.filter((row) => canBe(act, row)).map(({ id }) => id)
    const onYes = () => acts.act({ act, ids: wanted })
    // What is dropped is never sent.
    ask(act === 'drop' ? Number.POSITIVE_INFINITY : wanted.length, { ...QUESTIONS[act](wanted.length), onYes })
  }
  function replayFilter(filter: Readonly<Record<string, string>>, count: number) {
    if (acts.isBusy || acts.refused !== null || count === 0) return
    ask(count, { ...QUESTIONS.replay(count), onYes: () => acts.act({ act: 'replay', filter, count }) })
  }
  const selection: Omit<DeliverySelection, 'commands'> = {
    chosen,
    acts,
    question,
    matching,
    isChosen: (id) => ids.has(id),
    choose: (id) => setIds((now) => new Set(now.has(id) ? [...now].filter((one) => one !== id) : [...now, id])),
    clear,
    reasonOf: (act) => reasonOf(act, chosen),
    act: (act) => actOn(act, chosen),
    actOn,
    replayAll: () => replayFilter(askedOf(filters), matching),
    replayDestination: ({ key, given_up: count }) =>
      key !== undefined && replayFilter({ destination: key, missed: 'true' }, count),
    forget: () => setQuestion(null),
  }
  return { ...selection, commands: commandsOf(selection) }
}

/** Returns how many deliveries that can be sent again the filters leave, of which the chips show the states. */
function matchingOf(filters: DeliveryFilters, counts: DeliveryCounts | null): number {
  const { status, given_up: givenUp, missed, held } = filters
  if (counts === null || held !== undefined) return 0
  if (missed !== undefined) return missed === 'true' && !status && !givenUp ? counts.missed : 0
  const { failed, dead, given_up: ended } = counts
  switch (`${status ?? ''} ${givenUp ?? ''}`) {
    case ' ':
      return failed + dead
    case ' true':
      return ended
    case 'failed false':
      return failed + dead - ended
    case 'failed ':
      return failed
    case 'dead ':
      return dead
    default:
      return 0
  }
}

const canBe = (act: DeliveryAct, row: Listed): boolean =>
  act === 'replay' ? whyNotAgain(row) === null : row.held !== undefined

function whyNone(act: DeliveryAct, rows: readonly Listed[]): string | null {
  if (rows.some((row) => canBe(act, row))) return null
  if (act !== 'replay') return 'None of them waits for a later hour.'
  const [row] = rows
  return rows.length === 1 && row ? whyNotAgain(row) : 'None of them has failed.'
}

const many = (count: number): string => (count === 1 ? 'this delivery' : `${count.toLocaleString('en')} deliveries`)

const QUESTIONS = {
  replay: (count: number) => ({
    title: `Send ${many(count)} again?`,
    text:
      'Each is sent at once with the same id, and gets all its attempts again. ' +
      'By the id a receiver can tell that it has had it.',
    word: 'Send again',
  }),
  send: (count: number) => ({
    title: `Send ${many(count)} now?`,
    text: 'They do not wait for their hour any more.',
    word: 'Send now',
  }),
  drop: (count: number) => ({
    title: `Drop ${many(count)}?`,
    text: 'They are never sent. The changes stay, and their runs say that the messages were dropped.',
    word: 'Drop',
    isEnd: true,
  }),
} as const satisfies Record<DeliveryAct, (count: number) => Omit<Question, 'onYes'>>

const WORDS = { replay: 'Send again', send: 'Send now', drop: 'Drop' } as const

function commandsOf(selection: Omit<DeliverySelection, 'commands'>): readonly Command[] {
  const { chosen, matching, acts } = selection
  if (chosen.length === 0) {
    if (matching === 0) return []
    const title = `Send again: all ${matching.toLocaleString('en')} that match`
    return [{ id: 'replay-all', title, refused: acts.refused ?? tooMany(matching), act: selection.replayAll }]
  }
  const all = (['replay', 'send', 'drop'] as const).map((act) => ({
    id: act,
    title: `${WORDS[act]}: ${chosen.length} selected`,
    refused: selection.reasonOf(act),
    act: () => selection.act(act),
  }))
  return [...all, { id: 'clear', title: 'Clear the selection', refused: null, act: selection.clear }]
}

/** Returns why a filter leaves more than one request may send again. Null: it does not. */
export const tooMany = (count: number): string | null =>
  count > LIMITS.replayed
    ? `They are more than ${LIMITS.replayed.toLocaleString('en')}: narrow the filter, and send them in parts.`
    : null
