import { Counter, Gauge, type Registry } from 'prom-client'
import type { WorkSlots } from './work-slots.ts'

/** Shows the requests that do work: now, and since the start by how they ended. */
export function measureWork(registry: Registry, { figures }: Pick<WorkSlots, 'figures'>): void {
  const registers = [registry]
  new Gauge({
    name: 'tidemark_api_work',
    help: 'Requests that do work, such as backtests and exports: working, or waiting for a slot.',
    labelNames: ['work', 'state'],
    registers,
    collect() {
      for (const [work, { working, waiting }] of Object.entries(figures)) {
        this.set({ work, state: 'working' }, working)
        this.set({ work, state: 'waiting' }, waiting)
      }
    },
  })
  new Counter({
    name: 'tidemark_api_work_ended_total',
    help: 'Requests that do work, by how they ended: done, refused as full or late, or left by the client.',
    labelNames: ['work', 'result'],
    registers,
    collect() {
      this.reset()
      for (const [work, { ended }] of Object.entries(figures))
        for (const [result, count] of Object.entries(ended)) this.inc({ work, result }, count)
    },
  })
}
