import { type RefObject, useRef } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { Notice } from '../app/notice.tsx'
import { useTitle } from '../app/use-title.ts'
import { Choice } from '../parts/choice.tsx'
import { useCommands } from '../parts/commands.ts'
import { MoreRows } from '../parts/more-rows.tsx'
import { useFocusedRow } from '../parts/use-focused-row.ts'
import { useShortcut } from '../parts/use-shortcut.ts'
import { AskDialog } from './ask-dialog.tsx'
import { ChosenDeliveries } from './chosen-deliveries.tsx'
import style from './deliveries.module.css'
import { DeliveryFilterBar } from './delivery-filter-bar.tsx'
import { type DeliveryFilters, queryOf, useFilters } from './delivery-filters.ts'
import { DeliveryRow } from './delivery-row.tsx'
import { Failing } from './failing-destinations.tsx'
import { NotSent } from './not-sent.tsx'
import { type Listed, useDeliveries, useDeliveryCounts, useFailingDestinations } from './use-deliveries.ts'
import { type DeliverySelection, useDeliverySelection } from './use-delivery-selection.ts'

const SHOWN = [
  ['', 'Sent'],
  ['silent', 'Not sent'],
] as const

/** What was sent to whom, with the result; or what fired and was not sent, with the reason. */
export function DeliveriesPage() {
  useTitle('Deliveries')
  const [, go] = useLocation()
  const isSilent = new URLSearchParams(useSearch()).get('show') === 'silent'
  return (
    <section className={style['page']} aria-label="Deliveries">
      <header className={style['head']}>
        <h1>Deliveries</h1>
        <Choice
          label="Which"
          value={isSilent ? 'silent' : ''}
          choices={SHOWN}
          onChoose={(show) => go(show === '' ? '/deliveries' : '/deliveries?show=silent')}
        />
      </header>
      {isSilent ? <NotSent /> : <Sent />}
    </section>
  )
}

function Sent() {
  const [filters, change] = useFilters()
  const counts = useDeliveryCounts(filters)
  const { givenUp, found } = useSentLists(filters)
  const failing = useFailingDestinations()
  const led = givenUp.rows?.slice(0, LED) ?? []
  const rows = [...led, ...(found.rows ?? [])]
  const selection = useDeliverySelection({ filters, rows, counts })
  const list = useRef<HTMLDivElement>(null)
  useListKeys(list, rows, selection)
  useCommands(selection.commands)
  return (
    <>
      {failing !== null && filters.destination === undefined && (
        <Failing
          failing={failing}
          refused={selection.acts.refused}
          isBusy={selection.acts.isBusy}
          onReplay={selection.replayDestination}
        />
      )}
      <DeliveryFilterBar filters={filters} counts={counts} first={rows[0] ?? null} onChange={change} />
      {found.error !== null && <Notice error={found.error} />}
      {found.rows === null && found.error === null && <p role="status">Loading…</p>}
      {found.rows?.length === 0 && led.length === 0 && <Nothing hasFilters={Object.keys(filters).length > 0} />}
      <div ref={list} className={style['lists']}>
        {led.length > 0 && (
          <section aria-label="Given up">
            <h2 className={style['part']}>
              Given up
              {givenUp.total > led.length && (
                <Link href={`/deliveries?${queryOf({ ...filters, given_up: 'true' })}`}>
                  Show all {givenUp.total.toLocaleString('en')}
                </Link>
              )}
            </h2>
            <Rows rows={led} selection={selection} />
          </section>
        )}
        {led.length > 0 && found.rows?.length !== 0 && <h2 className={style['part']}>The others</h2>}
        <Rows rows={found.rows ?? []} selection={selection} />
      </div>
      <MoreRows list={found}>
        {`Show older ones (${(found.rows?.length ?? 0).toLocaleString('en')} of ${found.total.toLocaleString('en')})`}
      </MoreRows>
      <ChosenDeliveries selection={selection} />
      {selection.question && <AskDialog question={selection.question} onClose={selection.forget} />}
    </>
  )
}

/** So many that were given up lead the list of all states. */
const LED = 5

/** Returns the deliveries. Where no state is chosen, those that were given up lead, and the others follow. */
function useSentLists(filters: DeliveryFilters) {
  const { status, given_up: givenUp, held } = filters
  const isOfAllStates = status === undefined && givenUp === undefined && held === undefined
  return {
    givenUp: useDeliveries({ ...filters, given_up: 'true' }, { rows: LED, isWanted: isOfAllStates }),
    found: useDeliveries(isOfAllStates ? { ...filters, given_up: 'false' } : filters),
  }
}

interface RowsProps {
  readonly rows: readonly Listed[]
  readonly selection: DeliverySelection
}

const Rows = ({ rows, selection }: RowsProps) => (
  <ol className={style['rows']} hidden={rows.length === 0}>
    {rows.map((row) => (
      <DeliveryRow
        key={row.id}
        delivery={row}
        isChosen={selection.isChosen(row.id)}
        onChoose={() => selection.choose(row.id)}
      />
    ))}
  </ol>
)

/** The keys of the list: they are about what is selected, or else about the row that has the focus. */
function useListKeys(list: RefObject<HTMLElement | null>, rows: readonly Listed[], selection: DeliverySelection): void {
  const focused = useFocusedRow(list, rows, ({ id }) => id)
  useShortcut('deliveries', 'j', () => focused.move(1))
  useShortcut('deliveries', 'k', () => focused.move(-1))
  useShortcut('deliveries', 'x', () => focused.act(({ id }) => selection.choose(id)))
  useShortcut('deliveries', 'r', () =>
    selection.chosen.length > 0 ? selection.act('replay') : focused.act((row) => selection.actOn('replay', [row])),
  )
}

const Nothing = ({ hasFilters }: { readonly hasFilters: boolean }) => (
  <p className={style['nothing']}>
    {hasFilters
      ? 'No delivery is like that.'
      : 'Nothing was sent yet. A monitor sends when a change meets its condition, to the destinations that it has.'}
  </p>
)
