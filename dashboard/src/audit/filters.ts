import { useLocation, useSearch } from 'wouter'
import { serverNow } from '../api/client.ts'
import { type Action, SENTENCES, type Target, TARGETS } from './sentences.ts'

const DAY_MS = 86_400_000

/** What of the log is shown, as it stands in the address. */
export interface AuditFilters {
  /** `user:` or `key:`, and the id. */
  readonly who?: string
  readonly action?: Action
  readonly type?: Target
  readonly target?: string
  /** Of the last days. */
  readonly last?: string
  /** The first and the last day, as `2026-05-24`. */
  readonly from?: string
  readonly to?: string
}

const isAction = (text: string): text is Action => Object.hasOwn(SENTENCES, text)
const isTarget = (text: string): text is Target => Object.hasOwn(TARGETS, text)
const WHO = /^(?:user|key):[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** What of an address is a filter. The rest is dropped: the API would refuse all of it. */
const IS_ONE: Readonly<Record<keyof AuditFilters, (text: string) => boolean>> = {
  who: (text) => WHO.test(text),
  action: isAction,
  type: isTarget,
  target: (text) => text.length > 0 && text.length <= 200,
  last: (text) => /^(?:1|7|30)$/.test(text),
  from: isDay,
  to: isDay,
}
const NAMES = Object.keys(IS_ONE) as readonly (keyof AuditFilters)[]

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00`))
}

/** Reads the filters of the address, and changes some of them. Undefined and the empty text: any. */
export function useFilters(): readonly [AuditFilters, (change: Partial<Record<keyof AuditFilters, string>>) => void] {
  const [path, go] = useLocation()
  const asked = new URLSearchParams(useSearch())
  const entries = NAMES.map((name) => [name, asked.get(name) ?? ''] as const)
  const filters: AuditFilters = Object.fromEntries(entries.filter(([name, text]) => IS_ONE[name](text)))
  return [
    filters,
    (change) => {
      const next = new URLSearchParams({ ...filters, ...change })
      for (const name of NAMES) if (next.get(name) === '') next.delete(name)
      go(next.size === 0 ? path : `${path}?${next}`)
    },
  ]
}

/** Returns the query of the API for filters. Days are those of the person's clock. */
export function queryOf({ who = '', action, type, target, last, from, to }: AuditFilters): URLSearchParams {
  const query = new URLSearchParams()
  const [kind, id] = who.split(':')
  if (id !== undefined) query.set(kind === 'key' ? 'actor_key_id' : 'actor_user_id', id)
  if (action !== undefined) query.set('action', action)
  if (type !== undefined) query.set('target_type', type)
  if (target !== undefined) query.set('target_id', target)
  if (last !== undefined) query.set('from', new Date(serverNow() - Number(last) * DAY_MS).toISOString())
  if (from !== undefined) query.set('from', new Date(`${from}T00:00:00`).toISOString())
  if (to !== undefined) query.set('to', new Date(`${to}T23:59:59.999`).toISOString())
  return query
}
