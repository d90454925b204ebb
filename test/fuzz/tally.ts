import type { Received } from './client.ts'
import type { Planned } from './planned.ts'

interface Line {
  taken: number
  refused: number
}

/** Counts what was sent and its result. */
export interface Tally {
  /** The number of the next request. */
  next(): number
  readonly sent: number
  count(planned: Planned, answer: Received): void
  /** How often an operation succeeded and was refused. */
  of(operation: string): Readonly<Line>
  summary(): string
}

export function createTally(): Tally {
  const lines = new Map<string, Line>()
  const statuses = new Map<number, number>()
  const times: number[] = []
  let slowest = { ms: 0, what: 'none' }
  let sent = 0
  let good = 0
  return {
    next: () => sent++,
    get sent() {
      return sent
    },
    count({ expected: { operation, good: isGood }, what }, { status, ms }) {
      const line = lines.get(operation?.id ?? '') ?? { taken: 0, refused: 0 }
      lines.set(operation?.id ?? '', line)
      line[status < 400 ? 'taken' : 'refused'] += 1
      if (isGood) good += 1
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      times.push(ms)
      if (ms > slowest.ms) slowest = { ms, what: `${what}: ${status}` }
    },
    of: (operation) => lines.get(operation) ?? { taken: 0, refused: 0 },
    summary() {
      const sorted = times.toSorted((a, b) => a - b)
      const at = (share: number) =>
        (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
      const byStatus = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
      return (
        `${sent} requests (${good} that had to succeed); ${byStatus.join(', ')}; ms p50 ${at(0.5)}, p99 ` +
        `${at(0.99)}, most ${at(1)} (${slowest.what})`
      )
    },
  }
}
