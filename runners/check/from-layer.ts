import type { Layered } from './last-resort.ts'

const BY_STATIC = { fetchMethod: 'static' } as const

/** Returns what a reading says of the layer that it is of. */
export function fromOf({ method, reason, fetched }: Layered) {
  if (method === 'static') return BY_STATIC
  const missesMedia = 'missesMedia' in fetched && fetched.missesMedia === true
  return { fetchMethod: method, fetchReason: reason, ...(missesMedia && { needsMedia: true }) }
}
