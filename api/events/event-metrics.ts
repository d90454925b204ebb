import { Counter, Gauge, type Registry } from 'prom-client'
import type { EventStreams } from './event-streams.ts'

/** Shows the streams of events of this process, and what the looks for their events cost. */
export function measureEvents(registry: Registry, events: Pick<EventStreams, 'open' | 'ended' | 'looks'>): void {
  const registers = [registry]
  new Gauge({
    name: 'tidemark_event_streams',
    help: 'Streams of events that are open.',
    registers,
    collect() {
      this.set(events.open)
    },
  })
  new Counter({
    name: 'tidemark_event_streams_ended_total',
    help: 'Streams of events that have ended: left by the client, slow, refused at a later look, or closing.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(events.ended)) this.inc({ result }, count)
    },
  })
  new Counter({
    name: 'tidemark_event_look_seconds_total',
    help: 'Seconds that looks for events took.',
    registers,
    collect() {
      this.reset()
      this.inc(events.looks.seconds)
    },
  })
}
