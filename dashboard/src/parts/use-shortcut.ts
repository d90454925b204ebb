import { useEffect, useRef } from 'react'
import type { KeyOf, KeyPlace } from './keys.ts'
import { isShortcut } from './single-keys.ts'

/** Two keys one after the other are pressed within this time. */
const PAUSE_MS = 1_500

/**
 * Calls `act` when a key of the list of keys is pressed, or two one after the other as in `g m`, but where somebody
 * types.
 */
export function useShortcut<Place extends KeyPlace>(_place: Place, keys: KeyOf<Place>, act: () => void): void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  useEffect(() => {
    const [first = keys, second] = keys.split(' ')
    let begun = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return
      const isSecond = event.timeStamp - begun < PAUSE_MS
      begun = second !== undefined && event.key === first ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (second === undefined ? event.key !== first : event.key !== second || !isSecond) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [keys])
}
