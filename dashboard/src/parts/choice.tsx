import style from './choice.module.css'

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly choices: readonly (readonly [Value, string])[]
  onChoose(value: Value): void
}

/** One of a few, as buttons beside each other. */
export const Choice = <Value extends string>({ label, value, choices, onChoose }: ChoiceProps<Value>) => (
  <span className={style['choice']} role="group" aria-label={label}>
    {choices.map(([choice, word]) => (
      <button key={choice} type="button" aria-pressed={choice === value} onClick={() => onChoose(choice)}>
        {word}
      </button>
    ))}
  </span>
)
