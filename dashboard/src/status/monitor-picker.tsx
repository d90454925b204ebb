import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { STATUS_PAGE_LIMITS } from '../api/access.ts'
import { ask } from '../api/client.ts'
import type { Overview } from '../api/types.ts'
import { Stranger } from '../parts/stranger.tsx'
import controls from '../style/controls.module.css'
import { SearchField } from '../team/search-field.tsx'
import type { ShownMonitor } from './draft.ts'
import style from './status.module.css'

/** Monitors that are shown. More of a name leaves fewer. */
const FOUND = 8
/** How long a person pauses in a word. */
const PAUSE_MS = 150

interface MonitorPickerProps {
  readonly chosen: readonly ShownMonitor[]
  onAdd(monitor: ShownMonitor): void
}

/** Looks for monitors of both kinds, to be added to a page. */
export function MonitorPicker({ chosen, onAdd }: MonitorPickerProps) {
  const [text, setText] = useState('')
  const { rows, isReading } = useFound(text.trim())
  const has = new Set(chosen.map((one) => one.monitor_id))
  const isFull = chosen.length >= STATUS_PAGE_LIMITS.monitors
  return (
    <section className={style['picker']} aria-label="Add a monitor">
      <SearchField label="Search monitors to add" text={text} onChange={setText} />
      <ul>
        {rows.map((row) => (
          <li key={row.id}>
            <span className={style['found']}>
              <Stranger text={row.name} />
              <small>
                <bdi>{row.target.replace(/^https?:\/\//, '')}</bdi>
              </small>
            </span>
            <button
              type="button"
              className={controls['button']}
              aria-label={`${has.has(row.id) ? 'Added' : 'Add'}: ${row.name}`}
              disabled={isFull || has.has(row.id)}
              onClick={() => onAdd({ monitor_id: row.id, name: row.name, show_value: false })}
            >
              {has.has(row.id) ? 'Added' : 'Add'}
            </button>
          </li>
        ))}
      </ul>
      <p role="status" className={style['soft']}>
        {isFull && `A page shows ${STATUS_PAGE_LIMITS.monitors} monitors at most.`}
        {!isFull && !isReading && rows.length === 0 && 'No monitor matches.'}
      </p>
    </section>
  )
}

function useFound(text: string) {
  const [asked, setAsked] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const query = new URLSearchParams({ sort: 'name', limit: String(FOUND), ...(asked !== '' && { q: asked }) })
  const { data, isFetching } = useQuery({
    queryKey: ['status-pages', 'monitors', asked],
    queryFn: ({ signal }) => ask<Overview>(`/v1/overview?${query}`, { signal }),
    placeholderData: (before) => before,
  })
  return { rows: data?.data ?? [], isReading: isFetching || asked !== text }
}
