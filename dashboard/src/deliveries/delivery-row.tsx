import { Link } from 'wouter'
import { Ago } from '../parts/time.tsx'
import tones from '../style/tones.module.css'
import style from './deliveries.module.css'
import { queryOf, useFilters } from './delivery-filters.ts'
import type { Listed } from './use-deliveries.ts'
import { channelOf, isUnmissed, stateOf } from './words.ts'

interface DeliveryRowProps {
  readonly delivery: Listed
  readonly isChosen: boolean
  onChoose(): void
}

/** A delivery: how it stands, of which monitor, where it goes, and the last answer. */
export function DeliveryRow({ delivery, isChosen, onChoose }: DeliveryRowProps) {
  const { id, monitor, destination, created_at: at, response_body: body } = delivery
  const [word, look] = stateOf(delivery)
  return (
    <li className={style['row']} data-row={id} data-chosen={isChosen || undefined}>
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={`Select the delivery of ${monitor.name} to ${destination}`}
        onChange={onChoose}
      />
      <span className={tones[look]}>{word}</span>
      <span className={style['monitor']}>
        <Link href={`/deliveries/${id}`}>
          <bdi>{monitor.name}</bdi>
        </Link>
      </span>
      <span className={style['to']}>
        {channelOf(delivery)} <Destination delivery={delivery} />
      </span>
      <span className={style['outcome']}>
        <Outcome delivery={delivery} />
        {delivery.status !== 'success' && body !== null && body !== '' && (
          <bdi className={style['short']} title={body.slice(0, 400)}>
            {body.slice(0, 120)}
          </bdi>
        )}
      </span>
      <span className={style['when']}>
        <Ago at={at} />
      </span>
    </li>
  )
}

/** Where it goes. It leads to all that went there, but for who sees no addresses. */
function Destination({ delivery: { destination, destination_key: key } }: Of) {
  const [filters] = useFilters()
  const address = <bdi className={tones['soft']}>{destination}</bdi>
  if (key === undefined || filters.destination === key) return address
  return (
    <Link href={`/deliveries?${queryOf({ ...filters, destination: key })}`} title="Show only those to this destination">
      {address}
    </Link>
  )
}

function Outcome({ delivery }: Of) {
  const { status, attempts, next_attempt_at: next, response_status: answer } = delivery
  return (
    <span className={tones['soft']}>
      {attempts > 0 && (attempts === 1 ? '1 attempt' : `${attempts} attempts`)}
      {answer !== null && `, answered ${answer}`}
      {isUnmissed(delivery) && ', its destination was removed'}
      {status !== 'success' && next !== null && (
        <>
          {attempts > 0 && ', '}next <Ago at={next} />
        </>
      )}
    </span>
  )
}

type Of = Pick<DeliveryRowProps, 'delivery'>
