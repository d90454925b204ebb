import { useRef } from 'react'
import type { Issue } from '../../api/client.ts'
import type { MessageName } from '../../api/service.ts'
import type { DeliveryConfig } from '../../api/types.ts'
import { useRefusal } from '../../app/use-refusal.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import controls from '../../style/controls.module.css'
import {
  addressKey,
  addressOf,
  choiceOf,
  type DestinationKind,
  kindOf,
  ofKind,
  SERVICE_CHOICES,
  serviceOf,
  takesDigest,
  takesMessage,
  TYPES,
  withAddress,
} from '../draft/destinations.ts'
import { withTelling } from '../draft/notified.ts'
import { FaultLine, faultOf } from '../form/fault-line.tsx'
import style from '../new.module.css'
import { Answer } from './answer.tsx'
import { KeptSecret } from './kept-secret.tsx'
import { RequestPart } from './request-part.tsx'
import { ServiceOptions } from './service-options.tsx'
import { TellingPart, tellingIssues } from './telling-part.tsx'
import { useDeliveryTest } from './use-delivery-test.ts'

interface DestinationProps {
  readonly index: number
  readonly delivery: DeliveryConfig
  /** What messages say, unless it has its own words. */
  readonly message: DeliveryConfig['message']
  /** The names that messages can have. */
  readonly names: readonly MessageName[]
  readonly issues: readonly Issue[]
  onChange(delivery: DeliveryConfig): void
  onRemove(): void
}

/** One destination: what it is, where it is, and a test. */
export function Destination({ index, delivery, message, names, issues, onChange, onRemove }: DestinationProps) {
  const name = `Destination ${index + 1}`
  const path = `deliveries[${index}]`
  const kind = kindOf(delivery)
  const service = serviceOf(kind)
  // What was filled in for a kind stays for when a person comes back to it.
  const earlier = useRef(new Map<DestinationKind, DeliveryConfig>())
  function choose(next: DestinationKind) {
    earlier.current.set(kind, delivery)
    onChange(earlier.current.get(next) ?? ofKind(next, delivery))
  }
  const unwritable = useRefusal('monitors.write')
  const test = useDeliveryTest(delivery, { message, path, issues })
  const all = [...issues, ...test.issues]
  const ofTelling = tellingIssues(all, `${path}.`)
  const fault = { id: `to-fault-${index}`, issues: all.filter((issue) => !ofTelling.includes(issue)), path }
  return (
    <div className={style['field']} role="group" aria-label={name}>
      <div className={style['line']}>
        <KindSelect name={name} kind={kind} onKind={choose} />
        <KeptSecret
          key={service?.hasOneAddress ? kind : delivery.type}
          label={`${name}: address`}
          kept={delivery.type === 'email' ? null : hostOf(addressOf(delivery))}
          value={addressOf(delivery)}
          inputMode={delivery.type === 'email' ? 'email' : 'url'}
          maxLength={2048}
          placeholder={choiceOf(kind)?.example}
          onChange={(address) => onChange(withAddress(delivery, address.trim()))}
          fault={faultOf({ ...fault, path: `${path}.${addressKey(delivery)}` })}
        />
        <ActionButton refused={unwritable} isBusy={test.isSending} onAct={test.send}>
          Send a test
        </ActionButton>
        <button type="button" className={controls['quiet']} aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      </div>
      {delivery.type === 'webhook' && service && (
        <ServiceOptions name={name} delivery={delivery} service={service} onChange={onChange} />
      )}
      <FaultLine {...fault} />
      <p role="status" className={style['facts']}>
        {test.isSending ? 'A message is on its way…' : test.answer && <Answer {...test.answer} />}
        {!test.isSending && test.refusal}
      </p>
      {delivery.type === 'webhook' && <RequestPart name={name} delivery={delivery} onChange={onChange} />}
      <TellingPart
        of={name}
        title="Wording, digest and quiet hours of this one"
        absent="as for all destinations"
        names={names}
        value={delivery}
        takes={{ message: takesMessage(kind), digest: takesDigest(kind) }}
        issues={ofTelling}
        path={`${path}.`}
        onChange={(change) => onChange(withTelling(delivery, change))}
      />
    </div>
  )
}

interface KindSelectProps {
  readonly name: string
  readonly kind: DestinationKind
  onKind(kind: DestinationKind): void
}

const KindSelect = ({ name, kind: current, onKind }: KindSelectProps) => (
  <select
    className={controls['select']}
    aria-label={`${name}: kind`}
    value={current}
    onChange={({ target }) => {
      const chosen = choiceOf(target.value)
      if (chosen) onKind(chosen.kind)
    }}
  >
    {TYPES.map(({ kind, label }) => (
      <option key={kind} value={kind}>
        {label}
      </option>
    ))}
    <optgroup label="Services">
      {SERVICE_CHOICES.map(({ kind, label }) => (
        <option key={kind} value={kind}>
          {label}
        </option>
      ))}
    </optgroup>
  </select>
)

const hostOf = (address: string): string => (URL.canParse(address) ? `${new URL(address).host}/…` : address)
