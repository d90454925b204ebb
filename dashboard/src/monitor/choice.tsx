import style from './monitor.module.css'

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly (readonly [string, string])[]
  onChoose(value: string): void
}

/** One of a few. */
export const Choice = ({ label, value, choices, onChoose }: ChoiceProps) => (
  <span className={style['choice']} role="group" aria-label={label}>
    {choices.map(([choice, word]) => (
      <button key={choice} type="button" aria-pressed={choice === value} onClick={() => onChoose(choice)}>
        {word}
      </button>
    ))}
  </span>
)
