import { useRef } from 'react'
import type { Issue } from '../../api/client.ts'
import type { MessageName } from '../../api/service.ts'
import controls from '../../style/controls.module.css'
import { kindOf, newDestination, takesDigest, takesMessage } from '../draft/destinations.ts'
import { type Notified, withTelling } from '../draft/notified.ts'
import { FaultLine } from '../form/fault-line.tsx'
import style from '../new.module.css'
import { Destination } from './destination.tsx'
import { EarlierPart } from './earlier-part.tsx'
import { TellingPart } from './telling-part.tsx'
import { useRowKeys } from './use-row-keys.ts'

interface WhomPartProps {
  readonly notified: Notified
  /** The names that messages can have. */
  readonly names: readonly MessageName[]
  readonly issues: readonly Issue[]
  onChange(change: (notified: Notified) => Notified): void
}

/** Who is notified, and how: destinations, each with a test, and what all of them have. */
export function WhomPart({ notified, names, issues, onChange }: WhomPartProps) {
  const { deliveries } = notified
  const kinds = deliveries.map(kindOf)
  // What is set is sent, so it is shown without any destination too.
  const isSet = Boolean(notified.message ?? notified.digest ?? notified.quiet_hours)
  const rows = useRowKeys()
  const add = useRef<HTMLButtonElement>(null)
  const set = (change: (deliveries: Notified['deliveries']) => Notified['deliveries']) =>
    onChange((before) => ({ ...before, deliveries: change(before.deliveries) }))
  return (
    <>
      {deliveries.length === 0 && (
        <p className={style['soft']}>Nobody yet: changes are listed here, and nothing is sent.</p>
      )}
      {deliveries.map((delivery, index) => (
        <Destination
          key={rows.keyOf(index)}
          index={index}
          delivery={delivery}
          message={notified.message ?? undefined}
          names={names}
          issues={issues}
          onChange={(next) => set((before) => before.with(index, next))}
          onRemove={() => {
            rows.remove(index)
            set((before) => before.filter((_, nth) => nth !== index))
            // The button that had the focus is gone.
            add.current?.focus({ preventScroll: true })
          }}
        />
      ))}
      <div className={style['line']}>
        <button
          ref={add}
          type="button"
          className={controls['button']}
          onClick={() => set((before) => [...before, newDestination('webhook')])}
        >
          Add a destination
        </button>
        <EarlierPart present={deliveries} onPick={(delivery) => set((before) => [...before, delivery])} />
      </div>
      <FaultLine id="whom-fault" issues={issues.filter(({ path }) => path === 'deliveries')} path="deliveries" />
      {(deliveries.length > 0 || isSet) && (
        <TellingPart
          of="All destinations"
          title="Wording, digest and quiet hours"
          absent="each change by itself"
          names={names}
          value={notified}
          takes={{
            message: Boolean(notified.message) || kinds.some(takesMessage),
            digest: Boolean(notified.digest) || kinds.some(takesDigest),
          }}
          issues={issues}
          path=""
          onChange={(change) => onChange((before) => withTelling(before, change))}
        />
      )}
    </>
  )
}
