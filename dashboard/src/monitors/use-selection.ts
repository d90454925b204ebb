import { useCallback, useRef, useState } from 'react'
import { type Command, useCommands } from '../parts/commands.ts'
import type { Action, ActionBody } from './bulk.ts'
import { type Filters, queryOf } from './filters.ts'
import type { OrderedRows, Row } from './ordered-rows.ts'
import { type Actions, useActions, WORDS } from './use-actions.ts'
import { useChosen } from './use-chosen.ts'
import { muteOrUnmute, pauseOrResume, useListKeys } from './use-list-keys.ts'
import { type ReasonOf, useReasons } from './use-reasons.ts'

/** Which rows of the list are selected, and what is done with them. */
export interface Selection {
  readonly chosen: ReadonlyMap<string, Row>
  readonly actions: Actions
  /** The monitors of an action that a person is asked more about, such as until when. Null: none. */
  readonly asking: Asking | null
  readonly reasonOf: ReasonOf
  /** Selects or leaves a row; with `isRange` selects all from the one that was chosen last. */
  choose(index: number, isRange: boolean): void
  /** Does it with what is selected, or else with the row that the list is at. */
  act(action: Action): void
  /** Selects all that the filters leave. */
  selectAll(): void
  clear(): void
  /** The list is at another row. */
  onActive(index: number): void
  /** Does the action that was asked about. Null: leaves it. */
  answer(body: ActionBody | null): void
}

interface Asking {
  readonly action: AskedAction
  readonly rows: readonly Row[]
}

/** Actions that need more than the monitors. */
export const ASKED = ['delete', 'mute', 'label', 'interval'] as const
type AskedAction = (typeof ASKED)[number]
const isAsked = (action: Action): action is AskedAction => ASKED.some((one) => one === action)

interface Listed {
  readonly filters: Filters
  readonly rows: OrderedRows
  /** Rows are gone. */
  startAgain(): void
}

export function useSelection({ filters, rows, startAgain }: Listed): Selection {
  const { chosen, choose, setChosen } = useChosen(rows, queryOf(filters))
  const actions = useActions(startAgain)
  const [asking, setAsking] = useState<Asking | null>(null)
  const active = useRef(0)
  const reasonOf = useReasons()
  // All that these filters left, as the person asked for them: of what else is selected, only the ids are known.
  const [allOf, setAllOf] = useState<string | null>(null)
  const clear = () => {
    setAllOf(null)
    setChosen(new Map())
  }
  const chooseOne = (index: number, isRange: boolean) => {
    setAllOf(null)
    choose(index, isRange)
  }
  const targets = (): readonly Row[] => {
    const row = rows.at(active.current)
    return chosen.size > 0 ? [...chosen.values()] : row ? [row] : []
  }
  async function begin(action: Action, on: readonly Row[], body: ActionBody = {}) {
    // A row that is selected afterwards stays selected.
    const all = allOf === queryOf(filters) && on.length === chosen.size ? filters : null
    await actions.act(action, on, { body, filters: all, onEnd: chosen.size > 0 ? clear : () => {} })
  }
  function act(action: Action) {
    const on = targets()
    if (on.length === 0 || actions.isBusy || reasonOf(action, on) !== null) return
    if (isAsked(action)) setAsking({ action, rows: on })
    else void begin(action, on)
  }
  async function selectAll() {
    const read = await actions.selectAll(filters)
    if (read) {
      setChosen(read.rows)
      setAllOf(read.isAll ? queryOf(filters) : null)
    }
  }
  const selection: Selection = {
    chosen,
    actions,
    asking,
    reasonOf,
    choose: chooseOne,
    act,
    clear,
    selectAll: () => void selectAll(),
    onActive: useCallback((index: number) => void (active.current = index), []),
    answer(body) {
      setAsking(null)
      if (body && asking) void begin(asking.action, asking.rows, body)
    },
  }
  useListKeys({ targets, act, clear })
  useListCommands(selection, rows.total)
  return selection
}

/** What the palette offers while the list is shown. */
function useListCommands({ chosen, act, selectAll, clear, reasonOf }: Selection, total: number): void {
  const rows = [...chosen.values()]
  const commandOf = (action: Action): Command => ({
    id: action,
    title: `${WORDS[action]}: ${rows.length.toLocaleString('en')} selected`,
    refused: reasonOf(action, rows),
    act: () => act(action),
  })
  const offered = (
    ['run', pauseOrResume(rows), muteOrUnmute(rows), 'label', 'interval', 'seen', 'delete'] as const
  ).map(commandOf)
  useCommands(
    rows.length === 0
      ? [{ id: 'all', title: `Select all ${total.toLocaleString('en')}`, refused: null, act: selectAll }]
      : [...offered, { id: 'clear', title: 'Clear the selection', refused: null, act: clear }],
  )
}
