import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/**
 * Returns a value once it has been the same for so long. Values are the same if their JSON is. `isFirstAtOnce`: a
 * change after such a rest is returned at once, as that of somebody who pressed on something and does not type.
 */
export function useSettled<T>(value: T, ms: number, isFirstAtOnce = false): T {
  const [settled, settle] = useState(value)
  const text = JSON.stringify(value)
  const [latest, setLatest] = useState({ text, value })
  if (latest.text !== text) setLatest({ text, value })
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useLayoutEffect(() => {
    const since = performance.now() - changedAt.current
    changedAt.current = performance.now()
    if (isFirstAtOnce && since > ms) settle(latest.value)
  }, [latest, ms, isFirstAtOnce])
  useEffect(() => {
    const timer = setTimeout(() => settle(latest.value), ms)
    return () => clearTimeout(timer)
  }, [latest, ms])
  return settled
}
