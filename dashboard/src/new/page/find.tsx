import { useState } from 'react'
import controls from '../../style/controls.module.css'
import style from '../new.module.css'
import type { Family } from './family.ts'

/** Places that are listed. */
const SHOWN = 12

interface FindProps {
  readonly family: Family
  readonly count: number
  textOf(index: number): string
  nameOf(index: number): string
  onChoose(index: number): void
}

/** Finds places of the page by the text that a person sees, and chooses one. */
export function Find({ family, count, textOf, nameOf, onChoose }: FindProps) {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const has = (index: number) => textOf(index).toLowerCase().includes(wanted)
  // What is around a place has its text, too: the innermost is meant.
  const found =
    wanted === ''
      ? []
      : Array.from({ length: count }, (_, index) => index).filter(
          (index) => has(index) && !family.childrenOf(index).some(has),
        )
  return (
    <form
      role="search"
      className={style['find']}
      onSubmit={(event) => {
        event.preventDefault()
        const [first] = found
        if (first !== undefined) onChoose(first)
      }}
    >
      <label className={style['line']}>
        <span className={style['label']}>Find on the page</span>
        <input
          type="search"
          className={`${controls['input']} ${style['wide']}`}
          placeholder="the text that you see"
          maxLength={120}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <span role="status" className={style['soft']}>
        {wanted !== '' && (found.length === 1 ? '1 place' : `${found.length.toLocaleString('en')} places`)}
      </span>
      {found.length > 0 && (
        <ul className={style['places']} aria-label="Places">
          {found.slice(0, SHOWN).map((index) => (
            <li key={index}>
              <button type="button" className={style['place']} onClick={() => onChoose(index)}>
                <code>{nameOf(index)}</code> <bdi>{textOf(index)}</bdi>
              </button>
            </li>
          ))}
          {found.length > SHOWN && <li className={style['soft']}>Type more of it to see the others.</li>}
        </ul>
      )}
    </form>
  )
}
