import { useState } from 'react'
import { beginning, ShowMore } from '../parts/long-text.tsx'
import type { Part } from './difference-lines.ts'
import style from './text-difference.module.css'

/** A line may be a megabyte, and every word of it another: so much of it is shown at first, and at each press. */
const CHARACTERS = 3_000
const WORDS = 300
const STEP = 100_000

/** The text of a line, with what was removed and added in it. What is long is cut. */
export function Parts({ parts }: { readonly parts: readonly Part[] }) {
  const [times, setTimes] = useState(0)
  const most = CHARACTERS + times * STEP
  const shown = cutParts(times === 0 ? folded(parts) : parts, { characters: most, words: WORDS * (1 + times * 10) })
  const all = parts.reduce((sum, { text }) => sum + text.length, 0)
  const length = shown.reduce((sum, { text }) => sum + text.length, 0)
  return (
    <>
      {shown.map(({ kind, text }, nth) => {
        if (kind === 'removed') return <del key={nth}>{text}</del>
        return kind === 'added' ? <ins key={nth}>{text}</ins> : <span key={nth}>{text}</span>
      })}
      {length < all && (
        <>
          …
          <ShowMore shown={length} all={all} what="characters" step={STEP} onMore={() => setTimes(times + 1)} />
        </>
      )}
      {all === 0 && <span className={style['empty']}>{'\u{200B}'}</span>}
    </>
  )
}

function cutParts(parts: readonly Part[], most: { readonly characters: number; readonly words: number }) {
  let room = most.characters
  return parts.slice(0, most.words).flatMap(({ kind, text }): Part[] => {
    if (room <= 0) return []
    const shown = beginning(text, room)
    room -= text.length
    return [{ kind, text: shown }]
  })
}

/** Characters around a change in a long line. */
const AROUND = 120

/** Returns a line that differs without what is far from every change: the change may be the last word of a megabyte. */
function folded(parts: readonly Part[]): readonly Part[] {
  if (parts.length < 2) return parts
  return parts.map(({ kind, text }, nth) => {
    if (kind !== 'same' || text.length <= AROUND * 3) return { kind, text }
    const [start, end] = [nth === 0 ? '' : text.slice(0, AROUND), nth === parts.length - 1 ? '' : text.slice(-AROUND)]
    return { kind, text: `${start} … ${end}`.toWellFormed() }
  })
}
