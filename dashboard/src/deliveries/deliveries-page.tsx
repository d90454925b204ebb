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
  const lists = useSentLists(filters)
  const { led, others } = lists
  const failing = useFailingDestinations()
  const rows = [...led.rows, ...(others.rows ?? [])]
  const error = led.error ?? others.error
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
      {error !== null && <Notice error={error} />}
      {lists.isReading && error === null && <p role="status">Loading…</p>}
      {!lists.isReading && rows.length === 0 && <Nothing hasFilters={Object.keys(filters).length > 0} />}
      <div ref={list} className={style['lists']}>
        <Lists filters={filters} lists={lists} selection={selection} />
      </div>
      <ChosenDeliveries selection={selection} />
      {selection.question && <AskDialog question={selection.question} onClose={selection.forget} />}
    </>
  )
}

/** So many that were given up, and are still missed, lead the list of all states. */
const LED = 5

/** Returns the deliveries. Where no state is chosen, those that are missed lead, and the others follow. */
function useSentLists(filters: DeliveryFilters) {
  const { status, given_up: givenUp, missed, held } = filters
  const isOfAllStates = [status, givenUp, missed, held].every((one) => one === undefined)
  const led = useDeliveries({ ...filters, missed: 'true' }, { rows: LED, isWanted: isOfAllStates })
  const others = useDeliveries(isOfAllStates ? { ...filters, missed: 'false' } : filters)
  return {
    led: { rows: led.rows?.slice(0, LED) ?? [], total: led.total, error: led.error },
    others,
    isReading: led.rows === null || others.rows === null,
  }
}

interface ListsProps extends Pick<RowsProps, 'selection'> {
  readonly filters: DeliveryFilters
  readonly lists: ReturnType<typeof useSentLists>
}

function Lists({ filters, lists: { led, others }, selection }: ListsProps) {
  const rows = others.rows ?? []
  return (
    <>
      {led.rows.length > 0 && (
        <section aria-label="Given up">
          <h2 className={style['part']}>
            Given up
            {led.total > led.rows.length && (
              <Link href={`/deliveries?${queryOf({ ...filters, missed: 'true' })}`}>
                Show all {led.total.toLocaleString('en')}
              </Link>
            )}
          </h2>
          <Rows rows={led.rows} selection={selection} />
        </section>
      )}
      {led.rows.length > 0 && rows.length > 0 && <h2 className={style['part']}>The others</h2>}
      <Rows rows={rows} selection={selection} />
      <MoreRows list={others}>
        {`Show older ones (${rows.length.toLocaleString('en')} of ${others.total.toLocaleString('en')})`}
      </MoreRows>
    </>
  )
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
