import { MESSAGE_LIMITS } from '../../api/delivery-choices.ts'
import type { DeliveryConfig } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import { kindOf, takesHeaders } from '../draft/destinations.ts'
import { pairsOf, textOfPairs } from '../draft/text-forms.ts'
import { Folded } from '../form/folded.tsx'
import { TextArea } from '../form/text-area.tsx'
import style from '../new.module.css'

type Hook = Extract<DeliveryConfig, { type: 'webhook' }>

const METHODS = ['POST', 'PUT'] as const

interface RequestPartProps {
  /** The name of the destination. */
  readonly name: string
  readonly delivery: Hook
  onChange(delivery: Hook): void
}

/** The request of a webhook: its headers, and what `custom` sends. */
export function RequestPart({ name, delivery, onChange }: RequestPartProps) {
  const { headers, body, method, ...rest } = delivery
  const kind = kindOf(delivery)
  const set = (change: { readonly headers?: Hook['headers'] | undefined; readonly body?: string | undefined }) => {
    const next = { headers, body, ...change }
    onChange({
      ...rest,
      ...(method && { method }),
      ...(next.headers && Object.keys(next.headers).length > 0 && { headers: next.headers }),
      ...(next.body !== undefined && next.body !== '' && { body: next.body }),
    })
  }
  return (
    <>
      {kind === 'custom' && (
        <label className={style['stacked']}>
          <span className={style['line']}>
            <span className={style['label']}>Body of the request</span>
            <select
              className={controls['select']}
              aria-label={`${name}: method`}
              value={method ?? 'POST'}
              onChange={({ target }) => {
                const chosen = METHODS.find((one) => one === target.value)
                if (chosen) onChange({ ...delivery, method: chosen })
              }}
            >
              {METHODS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </span>
          <textarea
            className={style['area']}
            aria-label={`${name}: body`}
            rows={4}
            spellCheck={false}
            maxLength={MESSAGE_LIMITS.body}
            placeholder={'{"text": "{{monitor.name}}: {{changes}}"}'}
            value={body ?? ''}
            onChange={({ target }) => set({ body: target.value })}
          />
        </label>
      )}
      {takesHeaders(kind) && (
        <Folded summary="Headers" isSet={headers !== undefined}>
          <TextArea
            label={`${name}: headers, one a line`}
            placeholder="Authorization: Bearer …"
            value={headers ?? {}}
            rows={2}
            textOf={(pairs) => textOfPairs(pairs, ': ')}
            valueOf={(text) => pairsOf(text, ':')}
            onChange={(next) => set({ headers: next })}
          />
        </Folded>
      )}
    </>
  )
}
