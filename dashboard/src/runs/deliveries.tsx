import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import type { Run, RunDeliveries } from '../api/types.ts'
import { Notice } from '../app/notice.tsx'
import { usePermission } from '../app/use-me.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { useCommands } from '../parts/commands.ts'
import { JsonTree } from '../parts/json-tree.tsx'
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
        <OneDelivery key={delivery.id} delivery={delivery} listed={path} />
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

const STATES = {
  pending: ['waits to be sent', 'soft'],
  success: ['delivered', 'good'],
  failed: ['failed', 'bad'],
  dead: ['given up', 'bad'],
} as const

/** Why it waits for a later hour. */
const HELD = {
  muted: ['waits for the end of the mute', 'soft'],
  digest: ['waits for its digest', 'soft'],
  quiet_hours: ['waits for the end of quiet hours', 'soft'],
} as const

function OneDelivery({ delivery, listed }: { readonly delivery: Delivery; readonly listed: string }) {
  const [word, look] = delivery.held === undefined ? STATES[delivery.status] : HELD[delivery.held]
  const { attempts, last_attempt_at: last, next_attempt_at: next, response_body: answer } = delivery
  return (
    <article className={style['delivery']} aria-label={`${delivery.delivery_type} to ${delivery.destination}`}>
      <header className={style['head']}>
        <b className={tones[look]}>{word}</b>
        <span>{delivery.delivery_type}</span>
        <bdi className={style['destination']}>{delivery.destination}</bdi>
        <Replay delivery={delivery} listed={listed} />
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

/** What was sent. A long one is asked for when it is opened: the list has only its beginning. */
function Payload({ delivery: { id, payload, truncated } }: { readonly delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false)
  const isCut = truncated !== undefined
  const path = `/v1/deliveries/${encodeURIComponent(id)}`
  const { data, error } = useQuery({
    queryKey: ['delivery', path],
    enabled: isOpen && isCut,
    queryFn: ({ signal }) => ask<Pick<Delivery, 'payload'>>(path, { signal }),
  })
  const shown = isCut ? data?.payload : payload
  return (
    <details
      className={style['payload']}
      onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}
    >
      <summary>What was sent</summary>
      {error !== null && <Notice error={error} />}
      {isOpen && shown && <JsonTree value={shown} isOpen />}
    </details>
  )
}

function Replay({
  delivery: { id, status, destination },
  listed,
}: {
  readonly delivery: Delivery
  readonly listed: string
}) {
  const mayReplay = usePermission('deliveries.replay')
  const queries = useQueryClient()
  const replay = useMutation({
    mutationFn: () => ask(`/v1/deliveries/${encodeURIComponent(id)}/replay`, { method: 'POST' }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['deliveries', listed] }),
  })
  const isFailed = status === 'failed' || status === 'dead'
  const refused = mayReplay ? (replay.isPending ? 'It is being sent.' : null) : 'Your role may only read.'
  const title = `Send again: ${destination}`
  useCommands(isFailed ? [{ id: `replay-${id}`, title, refused, act: () => replay.mutate() }] : [])
  if (!isFailed) return null
  return (
    <>
      <ActionButton refused={refused} onAct={() => replay.mutate()}>
        Send again
      </ActionButton>
      {replay.error !== null && <Notice error={replay.error} />}
    </>
  )
}
