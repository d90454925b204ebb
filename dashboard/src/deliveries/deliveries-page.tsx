import { type RefObject, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'
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
import { useFilters } from './delivery-filters.ts'
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
  const found = useDeliveries(filters)
  const failing = useFailingDestinations()
  const rows = found.rows ?? []
  const selection = useDeliverySelection({ filters, rows, counts })
  const list = useRef<HTMLOListElement>(null)
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
      <DeliveryFilterBar filters={filters} counts={counts} onChange={change} />
      {found.error !== null && <Notice error={found.error} />}
      {found.rows === null && found.error === null && <p role="status">Loading…</p>}
      {found.rows?.length === 0 && <Nothing hasFilters={Object.keys(filters).length > 0} />}
      <ol ref={list} className={style['rows']} hidden={rows.length === 0}>
        {rows.map((row) => (
          <DeliveryRow
            key={row.id}
            delivery={row}
            isChosen={selection.isChosen(row.id)}
            onChoose={() => selection.choose(row.id)}
          />
        ))}
      </ol>
      <MoreRows list={found}>
        {`Show older ones (${rows.length.toLocaleString('en')} of ${found.total.toLocaleString('en')})`}
      </MoreRows>
      <ChosenDeliveries selection={selection} />
      {selection.question && <AskDialog question={selection.question} onClose={selection.forget} />}
    </>
  )
}

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
