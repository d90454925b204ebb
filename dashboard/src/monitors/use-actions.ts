import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Overview } from '../api/types.ts'
import {
  type Action,
  type ActionBody,
  actOnAll,
  actOnMatching,
  afterAction,
  isOfMatching,
  newestChange,
  type Progress,
  type Refusal,
} from './bulk.ts'
import type { Filters } from './filters.ts'
import type { Row } from './ordered-rows.ts'
import { readAll, type ReadRows } from './read-all.ts'

export const WORDS: Readonly<Record<Action, string>> = {
  run: 'Run now',
  pause: 'Pause',
  resume: 'Resume',
  mute: 'Mute',
  unmute: 'Unmute',
  label: 'Labels',
  interval: 'Interval',
  delete: 'Delete',
  seen: 'Mark as seen',
  unseen: 'Mark as unseen',
}

interface How {
  readonly body?: ActionBody
  /** The rows are all that these filters leave. Null: some of them. */
  readonly filters?: Filters | null
  onEnd(): void
}

/** What is done with many monitors, and how it ended. */
export interface Actions {
  readonly isBusy: boolean
  /** How far it is, or how it ended, in words. */
  readonly said: string | null
  readonly refused: readonly Refusal[]
  readonly error: unknown
  /** `onEnd` is called when all are asked for, before the list is read again. */
  act(action: Action, rows: readonly Row[], how: How): Promise<void>
  /** Reads all that match, or what was read when it was stopped. Null: it failed. */
  selectAll(filters: Filters): Promise<ReadRows | null>
  stop(): void
}

const NONE: Progress = { done: 0, refused: [] }
const shown = (count: number): string => count.toLocaleString('en')

/** Does actions on many monitors. `onDeleted` is called when rows are gone. */
export function useActions(onDeleted: () => void): Actions {
  const queries = useQueryClient()
  const running = useRef<AbortController | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [said, setSaid] = useState<string | null>(null)
  const [refused, setRefused] = useState<readonly Refusal[]>([])
  const [error, setError] = useState<unknown>(null)

  /** Shows rows as they will be, before the server has it. What was refused is read again with all the others. */
  function foresee(action: Action, rows: readonly Row[]) {
    const ids = new Set(rows.map(({ id }) => id))
    const next = (row: Row): Row => (ids.has(row.id) ? (afterAction(action, row) ?? row) : row)
    queries.setQueriesData<Overview>({ queryKey: ['overview'] }, (old) => old && { ...old, data: old.data.map(next) })
  }

  async function work<T>(doIt: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    if (running.current !== null) return null
    const stopping = new AbortController()
    running.current = stopping
    setBusy(true)
    setError(null)
    setRefused([])
    const done = await doIt(stopping.signal).catch((fault: unknown) => {
      setError(fault)
      return null
    })
    running.current = null
    setBusy(false)
    return done
  }

  return {
    isBusy,
    said,
    refused,
    error,
    async act(action, rows, { body = {}, filters = null, onEnd }) {
      let last = NONE
      await work(async (signal) => {
        setSaid(`${WORDS[action]}: 0 of ${shown(rows.length)}`)
        await queries.cancelQueries({ queryKey: ['overview'] })
        foresee(action, rows)
        const until = action === 'seen' ? newestChange(rows) : undefined
        // What never changed has nothing to see, and no request says so.
        if (filters !== null && isOfMatching(action) && (action !== 'seen' || until !== undefined)) {
          const sent = { ...body, ...(until && { until }) }
          const how = await actOnMatching(action, { filters, expected: rows.length, body: sent, signal })
          if (how === 'done') last = { done: rows.length, refused: [] }
          if (how !== 'other') return
        }
        await actOnAll(action, rows, {
          body,
          signal,
          onProgress(progress) {
            last = progress
            setRefused(progress.refused)
            setSaid(`${WORDS[action]}: ${shown(progress.done + progress.refused.length)} of ${shown(rows.length)}`)
          },
        })
      })
      const left = rows.length - last.done - last.refused.length
      setSaid(
        `${WORDS[action]}: ${shown(last.done)} done${left > 0 ? `, ${shown(left)} not asked for` : ''}` +
          (last.refused.length > 0 ? `, ${shown(last.refused.length)} refused.` : '.'),
      )
      onEnd()
      // Windows that are not on the screen are read when they are.
      queries.removeQueries({ queryKey: ['overview'], type: 'inactive' })
      await queries.invalidateQueries()
      if (action === 'delete') onDeleted()
    },
    selectAll: (filters) =>
      work(async (signal) => {
        const read = await readAll(filters, signal, (count, total) =>
          setSaid(`Select: ${shown(count)} of ${shown(total)}`),
        )
        setSaid(null)
        return read
      }),
    stop: () => running.current?.abort(),
  }
}
