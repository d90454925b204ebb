import { useState } from 'react'
import { MESSAGE_LIMITS } from '../../api/delivery-choices.ts'
import type { DeliveryConfig } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import { kindOf, takesHeaders } from '../draft/destinations.ts'
import { pairsOf, textOfPairs } from '../draft/text-forms.ts'
import { Folded } from '../form/folded.tsx'
import { TextArea } from '../form/text-area.tsx'
import style from '../new.module.css'
import own from './whom.module.css'

type Hook = Extract<DeliveryConfig, { type: 'webhook' }>

const METHODS = ['POST', 'PUT'] as const

interface RequestPartProps {
  /** The name of the destination. */
  readonly name: string
  readonly delivery: Hook
  onChange(delivery: Hook): void
}

/** The request of a webhook: its headers, and what `custom` sends. What was stored of them may be secret. */
export function RequestPart({ name, delivery, onChange }: RequestPartProps) {
  const kind = kindOf(delivery)
  return (
    <>
      {kind === 'custom' && <BodyField name={name} delivery={delivery} onChange={onChange} />}
      {takesHeaders(kind) && <HeadersField name={name} delivery={delivery} onChange={onChange} />}
    </>
  )
}

function BodyField({ name, delivery, onChange }: RequestPartProps) {
  const { body, ...rest } = delivery
  const [isHidden, setHidden] = useState(body !== undefined)
  return (
    <div className={style['stacked']}>
      <div className={style['line']}>
        <span className={style['label']}>Body of the request</span>
        <select
          className={controls['select']}
          aria-label={`${name}: method`}
          value={delivery.method ?? 'POST'}
          onChange={({ target }) => {
            const chosen = METHODS.find((one) => one === target.value)
            if (chosen) onChange({ ...delivery, method: chosen })
          }}
        >
          {METHODS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        {isHidden && (
          <>
            <code className={own['kept']}>{`${(body ?? '').length} characters`}</code>
            <button
              type="button"
              className={controls['quiet']}
              aria-label={`Show ${name}: body`}
              onClick={() => setHidden(false)}
            >
              Show
            </button>
          </>
        )}
      </div>
      {!isHidden && (
        <textarea
          className={style['area']}
          aria-label={`${name}: body`}
          rows={4}
          spellCheck={false}
          maxLength={MESSAGE_LIMITS.body}
          placeholder={'{"text": "{{monitor.name}}: {{changes}}"}'}
          value={body ?? ''}
          onChange={({ target: { value } }) => onChange(value === '' ? rest : { ...rest, body: value })}
        />
      )}
    </div>
  )
}

function HeadersField({ name, delivery, onChange }: RequestPartProps) {
  const { headers = {}, ...rest } = delivery
  const [isKept, setKept] = useState(Object.keys(headers).length > 0)
  // Null: they are not typed anew, so their values are shown.
  const [typed, setTyped] = useState<Hook['headers'] | null>(null)
  return (
    <Folded summary="Headers" isSet={isKept}>
      {isKept ? (
        <div className={style['line']}>
          <code className={own['kept']}>
            {Object.keys(headers)
              .map((header) => `${header}: ••••`)
              .join(', ')}
          </code>
          <button
            type="button"
            className={controls['quiet']}
            aria-label={`Change ${name}: headers`}
            onClick={() => {
              setKept(false)
              setTyped({})
            }}
          >
            Change
          </button>
        </div>
      ) : (
        <TextArea
          label={`${name}: headers, one a line`}
          placeholder="Authorization: Bearer …"
          value={typed ?? headers}
          rows={2}
          textOf={(pairs) => textOfPairs(pairs, ': ')}
          valueOf={(text) => pairsOf(text, ':')}
          onChange={(next) => {
            setTyped(null)
            onChange(Object.keys(next).length === 0 ? rest : { ...rest, headers: next })
          }}
        />
      )}
    </Folded>
  )
}
