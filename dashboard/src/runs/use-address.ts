import { useLocation, useSearch } from 'wouter'

/** The part of the address behind the path, and a way to change it: what is chosen on a screen stands in its link. */
export function useAddress(): readonly [URLSearchParams, (name: string, value: string) => void] {
  const asked = new URLSearchParams(useSearch())
  const [path, go] = useLocation()
  function choose(name: string, value: string) {
    if (value === '') asked.delete(name)
    else asked.set(name, value)
    go(asked.size === 0 ? path : `${path}?${asked}`, { replace: true })
  }
  return [asked, choose]
}
