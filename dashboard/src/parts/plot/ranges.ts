import { serverNow } from '../../api/client.ts'

/** How far back a plot goes, as it stands in the address. */
export const RANGES = [
  ['7', '7 days'],
  ['', '30 days'],
  ['90', '90 days'],
  ['all', 'All'],
] as const
const DAY_MS = 86_400_000

/** Returns the query of a series over a range. */
export function queryOfRange(range: string): Readonly<Record<string, string>> {
  if (range === 'all') return {}
  const days = range === '7' || range === '90' ? Number(range) : 30
  return { from: new Date(serverNow() - days * DAY_MS).toISOString() }
}
