import { useState } from 'react'
import type { Issue } from '../../api/client.ts'
import controls from '../../style/controls.module.css'
import { newDestination } from '../draft/destinations.ts'
import { isOfMore } from '../draft/draft-body.ts'
import type { Draft, More } from '../draft/draft.ts'
import { FaultLine } from '../form/fault-line.tsx'
import style from '../new.module.css'
import { Destination } from './destination.tsx'
import { EarlierPart } from './earlier-part.tsx'
import { TellingPart } from './telling-part.tsx'

interface WhomPartProps {
  readonly draft: Draft
  readonly issues: readonly Issue[]
  onChange(change: (draft: Draft) => Draft): void
}

/** Who is told, and how: destinations, each with a test, and what all of them have. */
export function WhomPart({ draft, issues, onChange }: WhomPartProps) {
  const { deliveries, more } = draft
  // A destination that moves up starts anew: what was typed into the one before it is not its own.
  const [removed, setRemoved] = useState(0)
  const set = (change: (deliveries: Draft['deliveries']) => Draft['deliveries']) =>
    onChange((before) => ({ ...before, deliveries: change(before.deliveries) }))
  return (
    <>
      {deliveries.length === 0 && (
        <p className={style['soft']}>Nobody yet: changes are listed here, and nothing is sent.</p>
      )}
      {deliveries.map((delivery, index) => (
        <Destination
          key={`${index} ${removed}`}
          index={index}
          delivery={delivery}
          draft={draft}
          issues={issues}
          onChange={(next) => set((before) => before.with(index, next))}
          onRemove={() => {
            setRemoved((count) => count + 1)
            set((before) => before.filter((_, nth) => nth !== index))
          }}
        />
      ))}
      <div className={style['line']}>
        <button
          type="button"
          className={controls['button']}
          onClick={() => set((before) => [...before, newDestination('webhook')])}
        >
          Add a destination
        </button>
        <EarlierPart present={deliveries} onPick={(delivery) => set((before) => [...before, delivery])} />
      </div>
      <FaultLine id="whom-fault" issues={issues.filter(({ path }) => path === 'deliveries')} path="deliveries" />
      {deliveries.length > 0 && (
        <TellingPart
          of="All destinations"
          title="Wording, digest and quiet hours"
          absent="each change by itself"
          draft={draft}
          value={more}
          takes={{ message: true, digest: true }}
          issues={issues}
          path=""
          onChange={(change) => onChange((before) => ({ ...before, more: withTelling(before.more, change) }))}
        />
      )}
    </>
  )
}

/** Returns the settings with others. What is undefined is left out. */
function withTelling(more: More, change: object): More {
  const entries = Object.entries({ ...more, ...change }).filter(([key, value]) => isOfMore(key) && value !== undefined)
  return Object.fromEntries(entries)
}
