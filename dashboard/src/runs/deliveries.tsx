import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import type { Run, RunDeliveries } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { Payload } from '../deliveries/payload.tsx'
import { ReplayButton } from '../deliveries/replay-button.tsx'
import { channelOf, stateOf } from '../deliveries/words.ts'
import { LongText } from '../parts/long-text.tsx'
import { Ago } from '../parts/time.tsx'
import tones from '../style/tones.module.css'
import style from './deliveries.module.css'
import { type ListedChange, runPath } from './use-run.ts'

type Delivery = RunDeliveries['data'][number]

const REFRESH_MS = 15_000

/** What was sent of a run and how it was answered, or why nothing was. */
export function Deliveries({ run, change }: { readonly run: Run; readonly change: ListedChange | null }) {
  const path = `${runPath(run.id)}/deliveries`
  const { data, error } = useQuery({
    queryKey: ['deliveries', path],
    queryFn: ({ signal }) => ask<RunDeliveries>(path, { signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <section aria-label="Deliveries">
      <h2 className={style['title']}>Deliveries</h2>
      {error !== null && <Notice error={error} />}
      {data === undefined && error === null && <p role="status">Loading…</p>}
      {data?.data.length === 0 && <p className={tones['soft']}>{silenceOf(run, change)}</p>}
      {data?.data.map((delivery) => (
        <OneDelivery key={delivery.id} delivery={delivery} />
      ))}
    </section>
  )
}

/** Returns why nothing was sent. */
function silenceOf(run: Run, change: ListedChange | null): string {
  if (run.status === 'running') return 'Nothing is sent before the run ends.'
  if (run.status === 'error') return 'Nothing was sent: a failed run does not report a change.'
  if (run.status === 'skipped') return 'Nothing was sent: the run was skipped.'
  return `Nothing was sent. ${change?.silence ?? (run.fired === true ? '' : 'The run found no change to report.')}`
}

function OneDelivery({ delivery }: { readonly delivery: Delivery }) {
  const [word, look] = stateOf(delivery)
  const { attempts, last_attempt_at: last, next_attempt_at: next, response_body: answer } = delivery
  return (
    <article className={style['delivery']} aria-label={`${channelOf(delivery)} to ${delivery.destination}`}>
      <header className={style['head']}>
        <b className={tones[look]}>{word}</b>
        <span>{channelOf(delivery)}</span>
        <Link href={`/deliveries/${delivery.id}`} className={style['destination']}>
          <bdi>{delivery.destination}</bdi>
        </Link>
        <ReplayButton delivery={delivery} />
      </header>
      <p className={style['facts']}>
        <span>{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>
        {last !== null && (
          <span>
            the last <Ago at={last} />
          </span>
        )}
        {next !== null && delivery.status !== 'success' && (
          <span>
            the next <Ago at={next} />
          </span>
        )}
        {delivery.response_status !== null && <span>answered {delivery.response_status}</span>}
      </p>
      {answer !== null && answer !== '' && (
        <p className={style['answer']}>
          <LongText text={answer} most={300} />
        </p>
      )}
      <Payload delivery={delivery} />
    </article>
  )
}
