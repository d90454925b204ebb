import { Counter, Gauge, type Registry } from 'prom-client'
import type { PatternMatcher } from './pattern-matcher.ts'

/** Shows how the patterns of a process were answered, and how many wait. */
export function measurePatterns(registry: Registry, patterns: Pick<PatternMatcher, 'counts' | 'waiting'>): void {
  const registers = [registry]
  new Counter({
    name: 'tidemark_patterns_total',
    help: 'Patterns of predicates by result: tried, timeout, remembered, crowded, busy or stopped.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(patterns.counts)) this.inc({ result }, count)
    },
  })
  new Gauge({
    name: 'tidemark_patterns_waiting',
    help: 'Patterns of predicates that are being tried or wait for their turn in this process.',
    registers,
    collect() {
      this.set(patterns.waiting)
    },
  })
}
