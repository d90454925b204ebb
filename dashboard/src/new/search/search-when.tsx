import type { Issue } from '../../api/client.ts'
import type { SerpMonitorCreate } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import { FaultLine, faultOf } from '../form/fault-line.tsx'
import style from '../new.module.css'
import { NumberInput } from '../when/number-input.tsx'

interface SearchWhenProps {
  readonly search: SerpMonitorCreate
  readonly issues: readonly Issue[]
  onChange(change: Partial<SerpMonitorCreate>): void
}

/** When to tell: how a site moves, or any change of the results. */
export function SearchWhen({ search, issues, onChange }: SearchWhenProps) {
  const { mode, target_domain: target, rank_change_threshold: threshold = null } = search
  const isOfRank = mode !== 'full_analysis'
  const targetFault = { id: 'target-fault', issues, path: 'target_domain' }
  return (
    <>
      <label className={style['line']}>
        <input type="radio" name="mode" checked={isOfRank} onChange={() => onChange({ mode: 'rank_tracking' })} />
        a site moves
      </label>
      {isOfRank && (
        <>
          <label className={style['stacked']}>
            <span className={style['label']}>The site: a domain, a part of an address, or a word of a domain</span>
            <input
              className={controls['input']}
              autoComplete="off"
              spellCheck={false}
              maxLength={2048}
              placeholder="shop.example"
              value={target ?? ''}
              onChange={({ target: { value } }) => onChange({ target_domain: value === '' ? null : value })}
              {...faultOf(targetFault)}
            />
          </label>
          <FaultLine {...targetFault} />
          {target === null || target === undefined ? (
            <p className={style['soft']}>Without a site the results are kept, and nothing fires.</p>
          ) : (
            <div className={style['line']}>
              <span>It fires when the site enters or leaves the results,</span>
              <label className={style['line']}>
                <input
                  type="checkbox"
                  checked={threshold !== null}
                  onChange={(event) => onChange({ rank_change_threshold: event.target.checked ? 3 : null })}
                />
                and when it moves
              </label>
              {threshold !== null && (
                <span className={style['line']}>
                  by
                  <NumberInput
                    label="Positions"
                    value={threshold}
                    onChange={(next) => onChange({ rank_change_threshold: next })}
                  />
                  positions or more
                </span>
              )}
            </div>
          )}
          <FaultLine id="threshold-fault" issues={issues} path="rank_change_threshold" />
        </>
      )}
      <label className={style['line']}>
        <input type="radio" name="mode" checked={!isOfRank} onChange={() => onChange({ mode: 'full_analysis' })} />
        anything in the list of results changes
      </label>
      <FaultLine id="mode-fault" issues={issues} path="mode" />
    </>
  )
}
