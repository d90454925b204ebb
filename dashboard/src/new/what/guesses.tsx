import type { Look } from '../../api/types.ts'
import style from '../new.module.css'
import what from './what.module.css'

type Guess = Look['guesses'][number]

interface GuessesProps {
  readonly guesses: readonly Guess[]
  /** The index of the one that the draft is made of. Null: of none any more. */
  readonly chosen: number | null
  onChoose(index: number): void
}

/** What may be watched, best first. */
export const Guesses = ({ guesses, chosen, onChoose }: GuessesProps) =>
  guesses.length > 0 && (
    <fieldset className={what['guesses']}>
      <legend className={style['label']}>Found for you</legend>
      {guesses.map(({ label }, index) => (
        <label key={label} className={what['guess']}>
          <input type="radio" name="guess" checked={chosen === index} onChange={() => onChoose(index)} />
          <bdi>{label}</bdi>
        </label>
      ))}
    </fieldset>
  )
