import { useState } from 'react'
import { Link } from 'wouter'
import { JsonTree } from '../parts/json-tree.tsx'
import { Stranger } from '../parts/stranger.tsx'
import controls from '../style/controls.module.css'
import style from './audit.module.css'
import { factsOf } from './facts.ts'
import type { AuditFilters } from './filters.ts'
import { type AuditEvent, hasTarget, isOfActor, SENTENCES } from './sentences.ts'

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })

interface EventRowProps {
  readonly event: AuditEvent
  onFilter(change: Pick<AuditFilters, 'who' | 'target'>): void
}

/** An event of the log as a sentence, with its facts. */
export function EventRow({ event, onFilter }: EventRowProps) {
  const [isOpen, setOpen] = useState(false)
  const { created_at: at, ip_address: address, actor } = event
  return (
    <li className={style['row']}>
      <time className={style['time']} dateTime={at} title={whole.format(Date.parse(at))}>
        {clock.format(Date.parse(at))}
      </time>
      <div className={style['what']}>
        <p>
          <b>
            <Stranger text={actor.label} />
          </b>
          {actor.type === 'api_key' && <span className={style['key']}>API key</span>} <Sentence event={event} />
        </p>
        <Facts event={event} />
        {isOpen && <Details event={event} onFilter={onFilter} />}
      </div>
      <span className={style['address']}>{address}</span>
      <button
        type="button"
        className={controls['quiet']}
        aria-expanded={isOpen}
        aria-label={`Details: ${clock.format(Date.parse(at))}, ${actor.label}`}
        onClick={() => setOpen(!isOpen)}
      >
        Details
      </button>
    </li>
  )
}

/** Where a target is shown. Null: nowhere, or not any more. */
function pathOf({ action, target_type: type, target_id: id }: AuditEvent): string | null {
  if (id === null || action.endsWith('.deleted')) return null
  if (type === 'monitor') return `/monitors/${id}`
  return type === 'serp_monitor' ? `/serp-monitors/${id}` : null
}

function Sentence({ event }: { readonly event: AuditEvent }) {
  const [before, behind = ''] = SENTENCES[event.action]
  const path = pathOf(event)
  if (!hasTarget(event)) return before
  if (isOfActor(event)) return before.replace(/:$/, '')
  const target = <Stranger text={event.target_label ?? ''} />
  return (
    <>
      {before} {path === null ? <b>{target}</b> : <Link href={path}>{target}</Link>} {behind}
    </>
  )
}

function Facts({ event }: { readonly event: AuditEvent }) {
  const facts = factsOf(event)
  if (facts.length === 0) return null
  return (
    <p className={style['facts']}>
      {facts.map((fact, nth) => (
        <span key={fact}>
          {nth > 0 && ' · '}
          <Stranger text={fact} />
        </span>
      ))}
    </p>
  )
}

function Details({ event, onFilter }: EventRowProps) {
  const { actor, action, target_id: target, created_at: at, metadata } = event
  const who =
    actor.id === null || actor.type === 'system' ? null : `${actor.type === 'user' ? 'user' : 'key'}:${actor.id}`
  return (
    <div className={style['details']}>
      <p>
        <code>{action}</code> <span>{whole.format(Date.parse(at))}</span>
      </p>
      {Object.keys(metadata).length > 0 && <JsonTree value={metadata} isOpen />}
      <span className={style['ways']}>
        {who !== null && (
          <button type="button" className={controls['button']} onClick={() => onFilter({ who })}>
            Only what {actor.type === 'user' ? 'this person' : 'this key'} did
          </button>
        )}
        {target !== null && (
          <button type="button" className={controls['button']} onClick={() => onFilter({ target })}>
            Only what was done to this
          </button>
        )}
      </span>
    </div>
  )
}
