import { useState } from 'react'
import { ApiFault, ask, type Issue } from '../../api/client.ts'
import type { DeliveryConfig, DeliveryTest } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import { addressKey, addressOf, DESTINATIONS, ofType, withAddress } from '../draft/destinations.ts'
import { FaultLine, faultOf } from '../form/fault-line.tsx'
import { sentenceOf } from '../form/sentence-of.ts'
import style from '../new.module.css'

interface WhomPartProps {
  readonly deliveries: readonly DeliveryConfig[]
  readonly issues: readonly Issue[]
  onChange(deliveries: readonly DeliveryConfig[]): void
}

/** Who is told: destinations, each with a test. */
export const WhomPart = ({ deliveries, issues, onChange }: WhomPartProps) => (
  <>
    {deliveries.length === 0 && (
      <p className={style['soft']}>Nobody yet: changes are listed here, and nothing is sent.</p>
    )}
    {deliveries.map((delivery, index) => (
      <Destination
        key={index}
        index={index}
        delivery={delivery}
        issues={issues}
        onChange={(next) => onChange(deliveries.with(index, next))}
        onRemove={() => onChange(deliveries.filter((_, nth) => nth !== index))}
      />
    ))}
    <p>
      <button
        type="button"
        className={controls['button']}
        onClick={() => onChange([...deliveries, ofType('webhook', '')])}
      >
        Add a destination
      </button>
    </p>
    <FaultLine id="whom-fault" issues={issues.filter(({ path }) => path === 'deliveries')} path="deliveries" />
  </>
)

interface DestinationProps {
  readonly index: number
  readonly delivery: DeliveryConfig
  readonly issues: readonly Issue[]
  onChange(delivery: DeliveryConfig): void
  onRemove(): void
}

function Destination({ index, delivery, issues, onChange, onRemove }: DestinationProps) {
  const [tested, setTested] = useState<Tested | null>(null)
  const [isSending, setSending] = useState(false)
  const name = `Destination ${index + 1}`
  // A result is about what was sent, and is gone with the first letter of something else.
  const result = tested !== null && tested.of === JSON.stringify(delivery) ? tested : null
  const path = `deliveries[${index}]`
  const ofTest = (result?.issues ?? []).map((issue) => ({ ...issue, path: issue.path.replace(/^delivery\b/, path) }))
  const fault = { id: `to-fault-${index}`, issues: [...issues, ...ofTest], path }
  async function send() {
    setSending(true)
    setTested({ of: JSON.stringify(delivery), ...(await testOf(delivery)) })
    setSending(false)
  }
  return (
    <div className={style['field']} role="group" aria-label={name}>
      <div className={style['line']}>
        <select
          className={controls['select']}
          aria-label={`${name}: kind`}
          value={delivery.type}
          onChange={({ target }) => {
            const type = DESTINATIONS.find(([one]) => one === target.value)?.[0]
            if (type) onChange(ofType(type, addressOf(delivery)))
          }}
        >
          {DESTINATIONS.map(([type, word]) => (
            <option key={type} value={type}>
              {word}
            </option>
          ))}
        </select>
        <input
          className={`${controls['input']} ${style['wide']}`}
          aria-label={`${name}: address`}
          inputMode={delivery.type === 'email' ? 'email' : 'url'}
          autoComplete="off"
          spellCheck={false}
          maxLength={2048}
          placeholder={DESTINATIONS.find(([type]) => type === delivery.type)?.[2]}
          value={addressOf(delivery)}
          onChange={({ target }) => onChange(withAddress(delivery, target.value.trim()))}
          {...faultOf({ ...fault, path: `${path}.${addressKey(delivery)}` })}
        />
        <button type="button" className={controls['button']} disabled={isSending} onClick={() => void send()}>
          Send a test
        </button>
        <button type="button" className={controls['quiet']} aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      </div>
      <FaultLine {...fault} />
      <p role="status" className={style['facts']}>
        {isSending ? 'A message is on its way…' : result?.answer && <Answer {...result.answer} />}
        {!isSending && result?.refusal}
      </p>
    </div>
  )
}

interface Tested {
  /** The destination, as JSON. */
  readonly of: string
  readonly answer?: DeliveryTest
  readonly refusal?: string
  readonly issues?: readonly Issue[]
}

async function testOf(delivery: DeliveryConfig): Promise<Omit<Tested, 'of'>> {
  try {
    return { answer: await ask<DeliveryTest>('/v1/deliveries/test', { method: 'POST', body: { delivery } }) }
  } catch (error) {
    const issues = error instanceof ApiFault ? error.issues : []
    return issues.length > 0 ? { issues } : { refusal: sentenceOf(error) }
  }
}

const SHOWN = 300

/** What the receiver answered to a test. */
const Answer = ({ status, response_status: code, response_body: body, duration_ms: ms, request }: DeliveryTest) => (
  <>
    <b className={status === 'success' ? style['good'] : style['bad']}>
      {status === 'success' ? '✓' : '✗'} {code ?? (status === 'success' ? 'sent' : 'no answer')}
    </b>{' '}
    <span>in {ms.toLocaleString('en')} ms</span>
    {request.via === 'none' && <bdi>{request.message}</bdi>}
    {body !== null && body.trim() !== '' && <bdi className={style['answer']}>{body.slice(0, SHOWN)}</bdi>}
  </>
)
