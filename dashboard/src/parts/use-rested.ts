import { useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Somebody who scrolls to the end of a long list passes a window of it each frame. What stays so long is read. */
const REST_MS = 60

/** Returns a number or a text. While it changes faster than every 60 ms, it is the one before until it rests. */
export function useRested<Value extends number | string>(value: Value): Value {
  const [rested, setRested] = useState(value)
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  // Before it is painted: what changes once is not late.
  useLayoutEffect(() => {
    const since = performance.now() - changedAt.current
    changedAt.current = performance.now()
    if (since > REST_MS) setRested(value)
  }, [value])
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
