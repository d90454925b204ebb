import type { Issue } from '../../api/client.ts'
import type { SerpMonitorCreate } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import { FaultLine, faultOf } from '../form/fault-line.tsx'
import style from '../new.module.css'
import { MOST_PAGES } from './search-draft.ts'

const ENGINES = [
  ['google', 'Google'],
  ['bing', 'Bing'],
  ['yahoo', 'Yahoo'],
  ['duckduckgo', 'DuckDuckGo'],
  ['yandex', 'Yandex'],
] as const satisfies readonly (readonly [SerpMonitorCreate['engine'], string])[]
const DEVICES = [
  ['desktop', 'a desktop'],
  ['mobile', 'a phone'],
] as const

interface SearchFieldsProps {
  readonly search: SerpMonitorCreate
  readonly issues: readonly Issue[]
  onChange(change: Partial<SerpMonitorCreate>): void
}

/** What is searched for: the keyword, the engine, the market, the device and how many pages. */
export function SearchFields({ search, issues, onChange }: SearchFieldsProps) {
  const { keyword, pages = 1, location_code: country, language_code: language } = search
  const keywordFault = { id: 'keyword-fault', issues, path: 'keyword' }
  const code = (key: 'location_code' | 'language_code', label: string, value: string | undefined) => (
    <label className={style['line']}>
      {label}
      <input
        className={`${controls['input']} ${style['number']}`}
        maxLength={2}
        autoComplete="off"
        spellCheck={false}
        value={value ?? ''}
        onChange={({ target }) => onChange({ [key]: target.value.trim().toLowerCase() })}
        {...faultOf({ id: `${key}-fault`, issues, path: key })}
      />
    </label>
  )
  return (
    <>
      <label className={style['stacked']}>
        <span className={style['label']}>Keyword</span>
        <input
          className={controls['input']}
          type="search"
          autoComplete="off"
          maxLength={2048}
          placeholder="best electric kettle"
          value={keyword}
          onChange={({ target }) => onChange({ keyword: target.value })}
          {...faultOf(keywordFault)}
        />
      </label>
      <FaultLine {...keywordFault} />
      <div className={style['line']}>
        <Where search={search} onChange={onChange} />
        {code('location_code', 'in the country', country)}
        {code('language_code', 'in the language', language)}
        <label className={style['line']}>
          <select
            className={controls['select']}
            aria-label="Pages of results"
            value={pages}
            onChange={({ target }) => onChange({ pages: Number(target.value) })}
          >
            {Array.from({ length: MOST_PAGES }, (_, nth) => (
              <option key={nth} value={nth + 1}>
                {nth === 0 ? 'one page' : `${nth + 1} pages`}
              </option>
            ))}
          </select>
          of results
        </label>
      </div>
      {['engine', 'location_code', 'language_code', 'device', 'pages'].map((path) => (
        <FaultLine key={path} id={`${path}-fault`} issues={issues} path={path} />
      ))}
    </>
  )
}

/** The engine, and the device that asks it. */
const Where = ({ search: { engine, device }, onChange }: Omit<SearchFieldsProps, 'issues'>) => (
  <>
    <label className={style['line']}>
      at
      <select
        className={controls['select']}
        aria-label="Engine"
        value={engine}
        onChange={({ target }) => {
          const found = ENGINES.find(([one]) => one === target.value)
          if (found) onChange({ engine: found[0] })
        }}
      >
        {ENGINES.map(([one, label]) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </select>
    </label>
    <label className={style['line']}>
      from
      <select
        className={controls['select']}
        aria-label="Device"
        value={device}
        onChange={({ target }) => onChange({ device: target.value === 'mobile' ? 'mobile' : 'desktop' })}
      >
        {DEVICES.map(([one, label]) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </select>
    </label>
  </>
)
