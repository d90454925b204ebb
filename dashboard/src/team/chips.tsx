import style from './chips.module.css'

interface ChipsProps<Id extends string> {
  readonly label: string
  readonly chips: readonly {
    readonly id: Id
    readonly word: string
    readonly count: number
    readonly isBad?: boolean
  }[]
  readonly chosen: NoInfer<Id>
  onChoose(id: NoInfer<Id>): void
}

/** Parts of a list with their counts, of which one is shown. */
export const Chips = <Id extends string>({ label, chips, chosen, onChoose }: ChipsProps<Id>) => (
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
        <span className={isBad && count > 0 ? style['warn'] : style['count']}>{count.toLocaleString('en')}</span>
      </button>
    ))}
  </div>
)
