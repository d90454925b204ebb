import style from './filter-bar.module.css'

/** One of a few filters, with how many it leaves. */
export interface Chip {
  readonly word: string
  /** Undefined: it is not known yet. */
  readonly count: number | undefined
  readonly isOn: boolean
  /** What it counts needs somebody. */
  readonly isBad?: boolean
  onPress(): void
}

/** Filters of which one is on, as buttons beside each other. */
export const Chips = ({ chips }: { readonly chips: readonly Chip[] }) => (
  <div className={style['chips']} role="group" aria-label="Show">
    {chips.map(({ word, count, isOn, isBad = false, onPress }) => (
      <button key={word} type="button" className={style['chip']} aria-pressed={isOn} onClick={onPress}>
        {word}
        <span className={isBad && (count ?? 0) > 0 ? style['bad'] : style['count']}>
          {count?.toLocaleString('en') ?? ''}
        </span>
      </button>
    ))}
  </div>
)
