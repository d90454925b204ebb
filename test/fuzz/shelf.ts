import type { Received } from './client.ts'
import type { Operation } from './document.ts'
import { OLDEST } from './marks.ts'
import type { Planned } from './planned.ts'

/** What the store has never heard of. */
export const UNKNOWN_ID = '5b0f7f0e-7b7c-4c1e-9a53-0a6d6b1b8a11'

/** The ids of what a chain has made, by kind. */
export interface Shelf {
  add(kind: string, id: string): void
  /** By age, 0 is the newest; null when there is none. */
  live(kind: string, age: number): string | null
  dead(kind: string, age: number): string | null
  /** Takes note of what an answer made or ended. */
  learn(planned: Planned, answer: Received): void
}

/** What a stranger makes is the stranger's; what signing in makes is nobody's. */
const concerns = (path: string, caller: string) => caller !== 'stranger' && !path.startsWith('/auth/')

/** `/v1/monitors/{id}/run` is about a monitor, and `/v1/team/invitations/{id}` about an invitation. */
export const kindOf = (path: string): string => {
  if (path.endsWith('/invite')) return 'invitation'
  const [, , first = '', second = ''] = path.split('/')
  const kind = first === 'team' && second !== '' ? second : first
  return kind.replace(/ies$/, 'y').replace(/s$/, '')
}

export function createShelf(): Shelf {
  const living = new Map<string, string[]>()
  const gone = new Map<string, string[]>()
  const list = (of: Map<string, string[]>, kind: string) => of.get(kind) ?? of.set(kind, []).get(kind)!
  const pick = (ids: readonly string[], age: number) =>
    ids[age === OLDEST ? 0 : ids.length - 1 - (age % Math.max(1, ids.length))] ?? null
  const take = (kind: string, id: string) =>
    living.set(
      kind,
      list(living, kind).filter((one) => one !== id),
    )
  const end = (kind: string, id: string) => {
    take(kind, id)
    list(gone, kind).push(id)
  }
  return {
    add: (kind, id) => void list(living, kind).push(id),
    live: (kind, age) => pick(list(living, kind), age),
    dead: (kind, age) => pick(list(gone, kind), age),
    learn({ expected: { operation }, id, caller }, { status, text }) {
      if (!operation || status >= 300 || !concerns(operation.path, caller)) return
      const kind = kindOf(operation.path)
      if (operation.method === 'DELETE' && id !== null) end(kind, id)
      // Reading brings nothing new.
      if (text === '' || operation.method === 'GET') return
      const { made, run, ended } = newsOf(operation, status, text)
      if (made !== null) list(living, kind).push(made)
      // The replaced key lives on for its hours of grace: neither here nor there.
      if (made !== null && id !== null) take(kind, id)
      if (run !== null) list(living, 'run').push(run)
      for (const one of ended) end(kind, one)
    },
  }
}

function newsOf({ path }: Operation, status: number, text: string) {
  const { id, apiKey, run_id: run, action, results = [] }: Made = JSON.parse(text)
  return {
    // A look is kept, and answered with 200: it is what a request finds out.
    made: status === 201 || path === '/v1/looks' ? String(apiKey?.id ?? id) : null,
    run: typeof run === 'string' ? run : null,
    ended:
      path.endsWith('/bulk') && action === 'delete' ? results.filter(({ ok }) => ok).map((result) => result.id) : [],
  }
}

interface Made {
  readonly id?: unknown
  readonly apiKey?: { readonly id: unknown }
  readonly run_id?: unknown
  readonly action?: unknown
  readonly results?: readonly { readonly id: string; readonly ok: boolean }[]
}
