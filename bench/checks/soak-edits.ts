import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { shareOf } from '../results/stats.ts'
import type { Database } from '../support/database.ts'

/** Edits of monitors through the API while they are checked. */
export interface Edits {
  readonly count: number
  /** Those that the API refused for now, with 503, beside the others. Absent in older results. */
  readonly refused?: number
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Edited {
  /** The monitors, in turn. */
  readonly ids: readonly string[]
  readonly base: string
  readonly key: string
  readonly signal: AbortSignal
}

const EVERY_MS = 100
/** Monitors that are edited, in turn: these numbers modulo ten. */
const EDITED = 9
const MOST = 3_000

type Edit = (nth: number) => readonly ['PATCH' | 'POST', string, object?]

/** Seven of ten edits leave the reading as it is, one makes a new baseline, and one pauses what the next resumes. */
const named: Edit = (nth) => ['PATCH', '', { name: `Kettle, edited ${nth}` }]
const EDITS: readonly Edit[] = [
  ...Array.from({ length: 7 }, () => named),
  (nth) => [
    'PATCH',
    '',
    { extract_config: { method: 'css', fields: { price: nth % 20 < 10 ? 'span.price' : '.price' } } },
  ],
  () => ['POST', '/pause'],
  () => ['POST', '/resume'],
]

/** Returns the ids of the monitors that are edited. */
export async function editedOf({ client }: Database): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from monitors where no % 10 = ${EDITED} order by no limit ${MOST}`,
  )
  return rows.map(({ id }) => id)
}

/** Edits ten monitors a second until the signal, or until the end is asked for. */
export function startEdits({ ids, base, key, signal }: Edited) {
  const stop = new AbortController()
  const took: number[] = []
  let refused = 0
  const dispatcher = new Agent({ connections: 1 })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

  async function edit(id: string, nth: number): Promise<void> {
    const [method, path, body] = (EDITS[nth % EDITS.length] ?? named)(nth)
    const start = performance.now()
    const sent = { method, headers, dispatcher, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const { statusCode, body: answer } = await request(`${base}/v1/monitors/${id}${path}`, sent)
    const text = await answer.text()
    if (statusCode === 503) refused += 1
    else if (statusCode >= 300) throw new Error(`an edit was answered with ${statusCode}: ${text}`)
    else took.push(performance.now() - start)
  }

  async function edits(): Promise<void> {
    const isOver = () => stop.signal.aborted || signal.aborted
    for (let nth = 0; !isOver(); nth += 1) {
      const start = performance.now()
      // A pause and its resume are of one monitor.
      const at = nth % EDITS.length === EDITS.length - 1 ? nth - 1 : nth
      await edit(ids[at % ids.length] ?? '', nth)
      await pause(Math.max(0, EVERY_MS - (performance.now() - start)))
    }
  }

  const done = edits()
  const failed = done.then(() => new Promise<never>(() => undefined))
  // They are awaited by those who want to know.
  done.catch(() => undefined)
  failed.catch(() => undefined)
  return {
    /** It rejects where an edit fails, and is never fulfilled. */
    failed,
    async end(): Promise<Edits> {
      stop.abort()
      try {
        await done
      } finally {
        await dispatcher.close()
      }
      return { count: took.length, refused, p50Ms: shareOf(took, 0.5), p99Ms: shareOf(took, 0.99) }
    },
  }
}
