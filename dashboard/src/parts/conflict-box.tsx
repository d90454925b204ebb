import { useState } from 'react'
import controls from '../style/controls.module.css'
import table from '../style/table.module.css'
import style from './conflict-box.module.css'

/** What two people changed, to different values. */
interface Disputed {
  readonly key: string
  readonly words: string
  /** The two values, as a person compares them. */
  readonly theirs: string
  readonly mine: string
}

interface ConflictBoxProps {
  /** What both edited, as `monitor`. */
  readonly what: string
  /** What somebody else changed, in words. */
  readonly changed: readonly string[]
  readonly disputed: readonly Disputed[]
  /** The keys of which the other's value is taken. */
  onChoose(theirs: readonly string[]): void
}

/** Somebody else saved first: what they changed, and of what both changed, which of the two is to stay. */
export function ConflictBox({ what, changed, disputed, onChoose }: ConflictBoxProps) {
  const [theirs, choose] = useState<readonly string[]>([])
  return (
    <section role="alert" aria-label="Changed by somebody else" className={style['box']}>
      <h2>Somebody else changed this {what} after you read it. Nothing was saved.</h2>
      <p>
        {changed.length > 0
          ? `Theirs: ${changed.join(', ')}.`
          : 'It is as you read it by now: what they changed was changed back.'}
      </p>
      {disputed.length > 0 && (
        <table className={table['table']}>
          <thead>
            <tr>
              <th scope="col">You both changed</th>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {disputed.map((one) => (
              <tr key={one.key}>
                <th scope="row">{one.words}</th>
                {[true, false].map((isTheirs) => (
                  <td key={String(isTheirs)}>
                    <label>
                      <input
                        type="radio"
                        name={one.key}
                        aria-label={`${one.words}: ${isTheirs ? 'theirs' : 'yours'}`}
                        checked={theirs.includes(one.key) === isTheirs}
                        onChange={() =>
                          choose(isTheirs ? [...theirs, one.key] : theirs.filter((key) => key !== one.key))
                        }
                      />
                      <bdi>{isTheirs ? one.theirs : one.mine}</bdi>
                    </label>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <button type="button" className={controls['button']} onClick={() => onChoose(theirs)}>
        Put both together
      </button>
      <p>Then look at it, and save again.</p>
    </section>
  )
}
