import { useState } from 'react'
import style from './long-text.module.css'

/** So many more characters are shown at once: a browser breaks them into lines without a pause that people notice. */
const STEP = 100_000
const count = new Intl.NumberFormat('en')

const LINES = 16

/** Returns where a line of a text ends, from 1. */
function endOfLine(text: string, line: number): number {
  let at = -1
  for (let nth = 0; nth < line; nth += 1) {
    at = text.indexOf('\n', at + 1)
    if (at < 0) return text.length
  }
  return at
}

/** The text of a stranger. What is longer than `most` characters or some lines is cut, with a way to see the rest. */
export function LongText({ text, most = 2_000 }: { readonly text: string; readonly most?: number }) {
  const [room, setRoom] = useState(() => Math.min(most, endOfLine(text, LINES)))
  if (text.length <= room) return <bdi className={style['text']}>{text}</bdi>
  return (
    <>
      <bdi className={style['text']}>{beginning(text, room)}…</bdi>
      <ShowMore shown={room} all={text.length} what="characters" onMore={() => setRoom(room + STEP)} step={STEP} />
    </>
  )
}

interface ShowMoreProps {
  readonly shown: number
  readonly all: number
  /** What there is more of. */
  readonly what: string
  /** How many more one press shows. */
  readonly step: number
  onMore(): void
}

/** A button that shows more of what is long: all of it, or the next part of what would take long to draw. */
export const ShowMore = ({ shown, all, what, step, onMore }: ShowMoreProps) => (
  <button type="button" className={style['more']} onClick={onMore}>
    {all - shown <= step ? `Show all ${count.format(all)} ${what}` : `Show ${count.format(step)} more ${what}`}
    {all - shown > step && ` of ${count.format(all)}`}
  </button>
)

/** Returns the first characters; half a character of two units is left. */
export const beginning = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
