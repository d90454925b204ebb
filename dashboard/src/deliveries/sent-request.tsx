import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../api/client.ts'
import type { Delivery, DeliveryRequest } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { Copyable } from '../monitor/copy.tsx'
import { pathOf } from '../monitors/cells.tsx'
import { LongText } from '../parts/long-text.tsx'
import style from './delivery.module.css'

interface SentRequestProps {
  readonly path: string
  readonly delivery: Delivery
}

/** What is really sent: the request or the mail, without its secrets. */
export function SentRequest({ path, delivery }: SentRequestProps) {
  const { data: request, error } = useQuery({
    queryKey: ['request', path],
    queryFn: ({ signal }) => ask<DeliveryRequest>(`${path}/request`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <section aria-label="What is sent">
      <h2 className={style['part']}>What is sent</h2>
      {error !== null && <Notice error={error} />}
      {request === undefined && error === null && <p role="status">Loading…</p>}
      {request && <Shown request={request} />}
      {request?.via === 'http' && 'Service-Signature' in request.headers && <Signature delivery={delivery} />}
    </section>
  )
}

function Shown({ request }: { readonly request: DeliveryRequest }) {
  if (request.via === 'none') return <p>{request.message}</p>
  if (request.via === 'mail')
    return (
      <>
        <dl className={style['lines']}>
          <Line name="To" text={request.to} />
          <Line name="Subject" text={request.subject} />
        </dl>
        <Copyable text={request.text} label="Text of the mail" />
      </>
    )
  return (
    <>
      <dl className={style['lines']}>
        <Line name={request.method} text={request.url} />
        {Object.entries(request.headers).map(([name, value]) => (
          <Line key={name} name={name} text={value} />
        ))}
      </dl>
      {request.warnings?.map((text) => (
        <p key={text} className={style['note']}>
          {text}
        </p>
      ))}
      <Copyable text={indented(request.body)} label="Body" />
    </>
  )
}

const Line = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <LongText text={text} most={400} />
    </dd>
  </div>
)

/** Returns JSON with each part on another line, and any other text as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** How a receiver checks who sent it. */
const Signature = ({ delivery: { monitor, monitor_id: id } }: Pick<SentRequestProps, 'delivery'>) => (
  <p className={style['note']}>
    Each attempt is signed: the header Service-Signature is made of the time and the exact bytes of the body, with the
    secret that the page of{' '}
    <Link href={pathOf({ kind: monitor.kind, id })}>
      <bdi>{monitor.name}</bdi>
    </Link>{' '}
    shows. <a href="/docs/webhooks#checking-the-signature">How a receiver checks it</a>
  </p>
)
