import { ENGINE_NAMES } from '../api/types.ts'
import { Ago } from '../parts/time.tsx'
import controls from '../style/controls.module.css'
import type { AskedSearch } from './market-words.ts'
import { useRefusingEngines } from './use-searches.ts'

interface EnginesLeftAloneProps {
  /** Only this one. */
  readonly engine?: AskedSearch['engine']
}

/** Which engines refused, and until when nobody asks them. */
export const EnginesLeftAlone = ({ engine: only }: EnginesLeftAloneProps) =>
  useRefusingEngines()
    .filter(({ engine }) => only === undefined || engine === only)
    .map(({ engine, left_alone_until: until, refusals }) => (
      <p key={engine} className={controls['notice']}>
        {/* The time goes on, and is no news each time. */}
        <b role="status">{ENGINE_NAMES[engine]} refused</b>
        <span>
          {refusals > 1 && `${refusals.toLocaleString('en')} times in a row. `}It is asked again{' '}
          {until !== null && <Ago at={until} />}, and checks before then fail at once and use no run.
        </span>
        <a href="/docs/search-results#when-an-engine-is-asked">Why</a>
      </p>
    ))
