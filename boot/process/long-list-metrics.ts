import { Counter, Gauge, type Registry } from 'prom-client'
import type { LongLists } from '../../api/http/long-lists.ts'

/** Shows how many long lists are under way in this process, and how they ended. */
export function showLongLists(registry: Registry, lists: LongLists): void {
  new Gauge({
    name: 'tidemark_list_bytes_under_way',
    help: 'Bytes of long lists that are read and sent at this moment.',
    registers: [registry],
    collect() {
      this.set(lists.figures().bytesUnderWay)
    },
  })
  new Gauge({
    name: 'tidemark_lists_waiting',
    help: 'Long lists that wait for their turn.',
    registers: [registry],
    collect() {
      this.set(lists.figures().waiting)
    },
  })
  new Counter({
    name: 'tidemark_lists_total',
    help: 'Long lists: sent to the end, made to wait, refused with 429, or ended before their end.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(lists.figures().counts)) this.inc({ result }, count)
    },
  })
}
