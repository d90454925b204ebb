import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ask } from '../api/client.ts'
import { isMissing } from '../api/faults.ts'
import type { Delivery } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { useTitle } from '../app/use-title.ts'
import { refreshMs } from '../live/live-state.ts'
import { pathOf } from '../monitors/cells.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { JsonTree } from '../parts/json-tree.tsx'
import { LongText } from '../parts/long-text.tsx'
import { Ago } from '../parts/time.tsx'
import tones from '../style/tones.module.css'
import { AskDialog } from './ask-dialog.tsx'
import style from './delivery.module.css'
import { ReplayButton } from './replay-button.tsx'
import { SentRequest } from './sent-request.tsx'
import { useDeliveryActs } from './use-delivery-acts.ts'
import { channelOf, isUnmissed, stateOf } from './words.ts'

/** One delivery: how it stands, what was answered, and what is sent. */
export function DeliveryPage({ id }: { readonly id: string }) {
  const path = `/v1/deliveries/${encodeURIComponent(id)}`
  const { data: delivery, error } = useQuery({
    queryKey: ['sent', id],
    queryFn: ({ signal }) => ask<Delivery>(path, { signal }),
    // No event tells that it was sent.
    refetchInterval: (query) => (isUnderWay(query.state.data) ? UNDER_WAY_MS : refreshMs(query)),
  })
  useTitle(delivery ? `Delivery of ${delivery.monitor.name}` : 'Delivery')
  return (
    <section className={style['page']} aria-label="Delivery">
      <nav className={style['way']} aria-label="Where this is">
        <Link href="/deliveries">Deliveries</Link>
        {delivery && (
          <>
            <span aria-hidden="true">/</span>
            <Link href={monitorPath(delivery)}>
              <bdi>{delivery.monitor.name}</bdi>
            </Link>
            <span aria-hidden="true">/</span>
            <Link href={`${monitorPath(delivery)}/runs/${delivery.run_id}`}>the run</Link>
          </>
        )}
      </nav>
      {error !== null && <Notice error={error} />}
      {delivery === undefined && error === null && <p role="status">Loading…</p>}
      {delivery && !isMissing(error) && <Whole delivery={delivery} path={path} />}
    </section>
  )
}

const UNDER_WAY_MS = 2_000

/** Whether a delivery is sent now: it waits for no hour. */
const isUnderWay = (delivery: Delivery | undefined): boolean =>
  delivery?.status === 'pending' && delivery.held === undefined

const monitorPath = ({ monitor: { kind }, monitor_id: id }: Delivery): string => pathOf({ kind, id })

interface Of {
  readonly delivery: Delivery
}

function Whole({ delivery, path }: Of & { readonly path: string }) {
  const { destination, payload, response_body: answer, response_status: status } = delivery
  return (
    <>
      <header className={style['head']}>
        <div className={style['title']}>
          <h1>
            {channelOf(delivery)} <bdi className={style['address']}>{destination}</bdi>
          </h1>
          <Facts delivery={delivery} />
        </div>
        <div className={style['acts']}>
          <ReplayButton delivery={delivery} />
          <Held delivery={delivery} />
        </div>
      </header>
      {(answer !== null || status !== null) && (
        <section aria-label="The last answer">
          <h2 className={style['part']}>The last answer</h2>
          <p className={style['facts']}>{status === null ? 'It did not answer.' : `It answered ${status}.`}</p>
          {answer !== null && answer !== '' && (
            <p className={style['answer']}>
              <LongText text={answer} most={1_000} />
            </p>
          )}
        </section>
      )}
      <SentRequest path={path} delivery={delivery} />
      <details className={style['payload']}>
        <summary>The payload, as the API has it</summary>
        <JsonTree value={payload} isOpen />
      </details>
    </>
  )
}

function Facts({ delivery }: Of) {
  const {
    attempts,
    created_at: made,
    last_attempt_at: last,
    next_attempt_at: next,
    status,
    digest_id: digest,
    destination_key: key,
  } = delivery
  const [word, look] = stateOf(delivery)
  return (
    <p className={style['facts']}>
      <b className={tones[look]}>{word}</b>
      <span>
        made <Ago at={made} />
      </span>
      <span>{attempts === 0 ? 'no attempt yet' : attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>
      {last !== null && (
        <span>
          the last <Ago at={last} />
        </span>
      )}
      {next !== null && status !== 'success' && (
        <span>
          the next <Ago at={next} />
        </span>
      )}
      {isUnmissed(delivery) && <span>its monitor does not have this destination any more</span>}
      <Link href={`/deliveries?monitor_id=${delivery.monitor_id}`}>All of this monitor</Link>
      {key !== undefined && <Link href={`/deliveries?destination=${key}`}>All to this destination</Link>}
      {digest !== undefined && digest !== delivery.id && (
        <Link href={`/deliveries/${digest}`}>It is part of the message of another one</Link>
      )}
    </p>
  )
}

/** Ends the wait of a delivery for a later hour. */
function Held({ delivery }: Of) {
  const { id, held } = delivery
  const [, go] = useLocation()
  const run = `${monitorPath(delivery)}/runs/${delivery.run_id}`
  const sending = useDeliveryActs()
  // What is dropped is deleted. Its run says so.
  const dropping = useDeliveryActs(() => go(run))
  const [isAsked, setAsked] = useState(false)
  const { refused } = sending
  const isBusy = sending.isBusy || dropping.isBusy
  const error = sending.error ?? dropping.error
  return (
    <>
      {held !== undefined && (
        <>
          <ActionButton refused={refused} isBusy={isBusy} onAct={() => sending.act({ act: 'send', ids: [id] })}>
            Send now
          </ActionButton>
          <ActionButton refused={refused} isBusy={isBusy} onAct={() => setAsked(true)}>
            Drop…
          </ActionButton>
        </>
      )}
      <span role="status">{sending.said}</span>
      {error !== null && <Notice error={error} />}
      {isAsked && (
        <AskDialog
          question={{
            title: 'Drop this delivery?',
            text: 'It is never sent. The change stays, and its run says that the message was dropped.',
            word: 'Drop',
            isEnd: true,
            onYes: () => dropping.act({ act: 'drop', ids: [id] }),
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}
