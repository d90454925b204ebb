import style from './filter-bar.module.css'

interface ChipsProps<Id extends string> {
  readonly label?: string
  readonly chips: readonly {
    readonly id: Id
    readonly word: string
    /** Undefined: it is not known yet. */
    readonly count: number | undefined
    /** What it counts needs somebody: soon, or now. */
    readonly isBad?: boolean | 'soon'
  }[]
  /** Null: none of them. */
  readonly chosen: NoInfer<Id> | null
  onChoose(id: NoInfer<Id>): void
}

/** Parts of a list with their counts, of which one is shown. */
export const Chips = <Id extends string>({ label = 'Show', chips, chosen, onChoose }: ChipsProps<Id>) => (
  <div className={style['chips']} role="group" aria-label={label}>
    {chips.map(({ id, word, count, isBad = false }) => (
      <button
        key={id}
        type="button"
        className={style['chip']}
        aria-pressed={id === chosen}
        onClick={() => onChoose(id)}
      >
        {word}
        <span className={(count ?? 0) === 0 || !isBad ? style['count'] : style[isBad === 'soon' ? 'warn' : 'bad']}>
          {count?.toLocaleString('en') ?? ''}
        </span>
      </button>
    ))}
  </div>
)
