import type { Issue } from '../../api/client.ts'
import controls from '../../style/controls.module.css'
import type { Draft } from '../draft/draft.ts'
import { pairsOf, textOfPairs } from '../draft/text-forms.ts'
import { FaultLine } from '../form/fault-line.tsx'
import { TextArea } from '../form/text-area.tsx'
import form from '../new.module.css'
import { PagingFields } from './paging-fields.tsx'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const

interface RequestFieldsProps {
  readonly draft: Draft
  readonly issues: readonly Issue[]
  onChange(change: (draft: Draft) => Draft): void
}

/** How the page is asked for: headers, a method and a body. With a method it is never opened in a browser. */
export function RequestFields({ draft: { more }, issues, onChange }: RequestFieldsProps) {
  const { request_headers: headers, request_config: request } = more
  const set = (change: Partial<Draft['more']>) =>
    onChange((before) => ({ ...before, more: { ...before.more, ...change } }))
  return (
    <>
      <TextArea
        label="Headers of the request, one a line"
        placeholder="Accept-Language: en"
        value={headers ?? {}}
        rows={2}
        textOf={(pairs) => textOfPairs(pairs, ': ')}
        valueOf={(text) => pairsOf(text, ':')}
        onChange={(next) => set({ request_headers: Object.keys(next).length === 0 ? null : next })}
      >
        <FaultLine id="headers-fault" issues={issues} path="request_headers" />
      </TextArea>
      <label className={form['line']}>
        <span className={form['label']}>Method</span>
        <select
          className={controls['select']}
          value={request ? (request.method ?? 'GET') : ''}
          onChange={({ target }) => {
            const method = METHODS.find((one) => one === target.value)
            set({ request_config: method === undefined ? null : { ...request, method } })
          }}
        >
          <option value="">as a browser asks</option>
          {METHODS.map((method) => (
            <option key={method} value={method}>
              {method}, without a browser
            </option>
          ))}
        </select>
      </label>
      {request && request.method !== 'GET' && (
        <label className={form['stacked']}>
          <span className={form['label']}>Body of the request</span>
          <textarea
            className={form['area']}
            rows={3}
            spellCheck={false}
            maxLength={100_000}
            value={request.body ?? ''}
            onChange={({ target }) => set({ request_config: { ...request, body: target.value } })}
          />
        </label>
      )}
      <PagingFields request={request ?? null} issues={issues} onChange={(next) => set({ request_config: next })} />
      <FaultLine
        id="request-fault"
        issues={issues.filter((issue) => !issue.path.startsWith('request_config.pagination'))}
        path="request_config"
      />
    </>
  )
}
