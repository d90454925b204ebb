import type { Issue } from '../../api/client.ts'
import controls from '../../style/controls.module.css'
import type { More } from '../draft/draft.ts'
import {
  PAGING_TYPES,
  type Paging,
  type PagingKey,
  pagingKeys,
  pagingOf,
  pagingValue,
  withPagingValue,
} from '../draft/paging.ts'
import { FaultLine, faultOf } from '../form/fault-line.tsx'
import form from '../new.module.css'
import style from './more.module.css'

type Request = NonNullable<More['request_config']>

const PATH = 'request_config.pagination'
const LABELS: Readonly<Record<PagingKey, readonly [label: string, example: string]>> = {
  in: ['It stands in', ''],
  param: ['Name of the parameter', 'page'],
  start: ['First value', '1'],
  step: ['Added for each page', '1'],
  cursor_path: ['Path of the next value', '$.next_cursor'],
  next_url_path: ['Path of the next address', '$.next'],
  items_path: ['Path of the list', '$.items'],
  total_path: ['Path of the total count', '$.total'],
  has_more_path: ['Path of what says that there is more', '$.has_more'],
  max_pages: ['Most pages', '20'],
}

interface PagingFieldsProps {
  readonly request: Request | null
  readonly issues: readonly Issue[]
  onChange(request: Request): void
}

/** How the following pages of an API are requested. Their items are joined. */
export function PagingFields({ request, issues, onChange }: PagingFieldsProps) {
  const paging = request?.pagination
  const set = (next: Paging | undefined) => {
    const { pagination: _, ...rest } = request ?? {}
    onChange(next === undefined ? rest : { ...rest, pagination: next })
  }
  if (request === null) return null
  return (
    <div className={form['stacked']}>
      <label className={form['line']}>
        <span className={form['label']}>Following pages</span>
        <select
          className={controls['select']}
          value={paging?.type ?? ''}
          onChange={({ target }) => {
            const type = PAGING_TYPES.find(([one]) => one === target.value)?.[0]
            set(type && pagingOf(type, paging))
          }}
        >
          <option value="">are not read</option>
          {PAGING_TYPES.map(([type, words]) => (
            <option key={type} value={type}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {paging && (
        <div className={style['pairs']}>
          {pagingKeys(paging.type).map((key) => (
            <PagingField
              key={key}
              name={key}
              value={pagingValue(paging, key)}
              issues={issues}
              onChange={(text) => set(withPagingValue(paging, key, text))}
            />
          ))}
        </div>
      )}
      <FaultLine id="paging-fault" issues={issues} path={PATH} />
    </div>
  )
}

interface PagingFieldProps {
  readonly name: PagingKey
  readonly value: string
  readonly issues: readonly Issue[]
  onChange(text: string): void
}

function PagingField({ name, value, issues, onChange }: PagingFieldProps) {
  const [label, example] = LABELS[name]
  const fault = faultOf({ id: 'paging-fault', issues, path: `${PATH}.${name}` })
  return (
    <label className={form['stacked']}>
      <span className={form['soft']}>{label}</span>
      {name === 'in' ? (
        <select
          className={controls['select']}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          {...fault}
        >
          <option value="query">the address</option>
          <option value="body">the body</option>
        </select>
      ) : (
        <input
          className={controls['input']}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder={example}
          value={value}
          onChange={({ target }) => onChange(target.value.trim())}
          {...fault}
        />
      )}
    </label>
  )
}
