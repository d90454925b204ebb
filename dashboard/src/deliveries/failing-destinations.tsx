import { Link } from 'wouter'
import type { FailingDestinations } from '../api/types.ts'
import { pathOf } from '../monitors/cells.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Ago } from '../parts/time.tsx'
import style from './deliveries.module.css'
import { tooMany } from './use-delivery-selection.ts'
import { channelOf } from './words.ts'

type Destination = FailingDestinations['data'][number]

/** So many are shown at first, and so many monitors of one are named. */
const SHOWN = 3
const NAMED = 3

interface FailingProps {
  readonly failing: FailingDestinations
  /** Why nothing can be sent again. Null: it can. */
  readonly refused: string | null
  readonly isBusy: boolean
  onReplay(destination: Destination): void
}

/** The destinations that take no deliveries, each with its monitors. */
export function Failing({ failing: { data, total }, refused, isBusy, onReplay }: FailingProps) {
  if (data.length === 0) return null
  const rowOf = (one: Destination) => (
    <OneDestination
      key={one.key ?? `${one.destination} ${one.since}`}
      destination={one}
      refused={refused ?? tooMany(one.given_up)}
      isBusy={isBusy}
      onReplay={() => onReplay(one)}
    />
  )
  const words = total === 1 ? 'A destination takes nothing' : `${total.toLocaleString('en')} destinations take nothing`
  return (
    <section className={style['failing']} aria-label="Destinations that take nothing">
      <h2>{words}</h2>
      <ul>{data.slice(0, SHOWN).map(rowOf)}</ul>
      {total > data.length && <p>The first {data.length} are listed, those of the most monitors first.</p>}
      {data.length > SHOWN && (
        <details>
          <summary>Show {data.length - SHOWN} more</summary>
          <ul>{data.slice(SHOWN).map(rowOf)}</ul>
        </details>
      )}
    </section>
  )
}

interface OneProps {
  readonly destination: Destination
  readonly refused: string | null
  readonly isBusy: boolean
  onReplay(): void
}

function OneDestination({ destination: one, refused, isBusy, onReplay }: OneProps) {
  const { key, destination, given_up: count, response_status: status, response_body: answer, since } = one
  return (
    <li>
      <div className={style['about']}>
        <p>
          <b>{channelOf(one)}</b>{' '}
          <bdi>{destination === '' ? 'an address whose deliveries are not stored any more' : destination}</bdi>
        </p>
        <p className={style['facts']}>
          <span>
            since <Ago at={since} />
          </span>
          {status !== null && <span>answered {status}</span>}
          <Monitors destination={one} />
        </p>
        {answer !== null && answer !== '' && (
          <p className={style['answer']}>
            <LongText text={answer} most={160} />
          </p>
        )}
      </div>
      {count > 0 && (
        <div className={style['acts']}>
          {key !== undefined && (
            <Link href={`/deliveries?missed=true&destination=${key}`}>
              Show {count === 1 ? 'it' : `all ${count.toLocaleString('en')}`}
            </Link>
          )}
          <ActionButton refused={refused} isBusy={isBusy} onAct={onReplay}>
            {count === 1 ? 'Send it again' : `Send all ${count.toLocaleString('en')} again`}
          </ActionButton>
        </div>
      )}
    </li>
  )
}

function Monitors({ destination: { monitors, monitor_count: count } }: Pick<OneProps, 'destination'>) {
  const rest = count - Math.min(NAMED, monitors.length)
  return (
    <span>
      {monitors.slice(0, NAMED).map((monitor, nth) => (
        <span key={monitor.id}>
          {nth > 0 && ', '}
          <Link href={pathOf(monitor)}>
            <bdi>{monitor.name}</bdi>
          </Link>
        </span>
      ))}
      {rest > 0 && ` and ${rest.toLocaleString('en')} more`}
    </span>
  )
}
