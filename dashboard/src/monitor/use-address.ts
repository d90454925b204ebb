import { useLocation, useSearch } from 'wouter'

/** Returns what stands in the address behind the path, and how to change some of it. What is '' is dropped. */
export function useAddress(): readonly [URLSearchParams, (change: Readonly<Record<string, string>>) => void] {
  const asked = new URLSearchParams(useSearch())
  const [path, go] = useLocation()
  return [
    asked,
    (change) => {
      const next = new URLSearchParams(asked)
      for (const [name, value] of Object.entries(change)) {
        if (value === '') next.delete(name)
        else next.set(name, value)
      }
      go(next.size === 0 ? path : `${path}?${next}`, { replace: true })
    },
  ]
}
