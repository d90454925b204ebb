import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { DeliveryConfig, MonitorCreate } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import { summaryOf } from '../draft/destinations.ts'
import { earlierDestinations } from '../draft/earlier-destinations.ts'
import { sentenceOf } from '../form/sentence-of.ts'
import style from '../new.module.css'

interface EarlierPartProps {
  readonly present: readonly DeliveryConfig[]
  onPick(delivery: DeliveryConfig): void
}

interface Listed {
  readonly data: readonly Required<Pick<MonitorCreate, 'name' | 'deliveries'>>[]
}

/** The newest monitors of each kind whose destinations are offered. */
const LOOKED_AT = 50
const NAMED = 3

/** Destinations of other monitors of the team, to pick from. */
export function EarlierPart({ present, onPick }: EarlierPartProps) {
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['earlier destinations'],
    queryFn: async ({ signal }) => {
      const list = (path: string) => ask<Listed>(`${path}?limit=${LOOKED_AT}`, { signal })
      const [pages, searches] = await Promise.all([list('/v1/monitors'), list('/v1/serp-monitors')])
      return [...pages.data, ...searches.data]
    },
    enabled: isOpen,
    staleTime: 30_000,
  })
  const found = data && earlierDestinations(data, present)
  return (
    <>
      <button
        type="button"
        className={controls['quiet']}
        aria-expanded={isOpen}
        onClick={() => setOpen((before) => !before)}
      >
        Use one of another monitor
      </button>
      {isOpen && (
        <div className={style['answer']} role="status">
          {error && sentenceOf(error)}
          {!error && !found && 'Loading…'}
          {found?.length === 0 && 'No other monitor has a destination that is not here yet.'}
        </div>
      )}
      {isOpen && found && found.length > 0 && (
        <ul className={style['places']} aria-label="Destinations of other monitors">
          {found.map(({ delivery, of }) => (
            <li key={JSON.stringify(delivery)}>
              <button
                type="button"
                className={style['place']}
                onClick={() => {
                  setOpen(false)
                  onPick(delivery)
                }}
              >
                <bdi>{summaryOf(delivery)}</bdi>{' '}
                <span className={style['soft']}>
                  of {of.slice(0, NAMED).join(', ')}
                  {of.length > NAMED && ` and ${of.length - NAMED} more`}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
