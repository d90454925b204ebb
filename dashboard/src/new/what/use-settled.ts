import { useEffect, useState } from 'react'

/** Returns a value once it has been the same for so long. Values are the same if their JSON is. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, settle] = useState(value)
  const text = JSON.stringify(value)
  const [latest, setLatest] = useState({ text, value })
  if (latest.text !== text) setLatest({ text, value })
  useEffect(() => {
    const timer = setTimeout(() => settle(latest.value), ms)
    return () => clearTimeout(timer)
  }, [latest, ms])
  return settled
}
