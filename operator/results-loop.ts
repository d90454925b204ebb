import { createWakeableLoop, type WakeableLoop } from '../concurrency/loops/wakeable-loop.ts'
import { failedDeliveries, finishedSince, restingRecords } from '../store/monitors/changed-resources.ts'
import type { KindOperator } from './kind-operator.ts'
import type { OperatorContext, ResourceKey } from './operator-context.ts'

/** Runs are recorded a little after they end, and processes' clocks differ. */
const OVERLAP_MS = 10_000
/** The pause between two looks for results is at least this many times as long as a look. */
const LOOK_SHARE = 20
/** Looks for results between two looks for records that rest. */
const REST_LOOKS = 10

interface RestingKey extends ResourceKey {
  readonly why: string
}

/** Returns what rests or fails to deliver, and why. */
async function restingNow({ store, clusterId }: OperatorContext): Promise<ReadonlyMap<string, RestingKey>> {
  const now = new Map<string, RestingKey>()
  for (const found of [await restingRecords(store, clusterId), await failedDeliveries(store, clusterId)])
    for (const { kind, namespace, name, why } of found) {
      const key = `${namespace}/${name}`
      const id = `${kind} ${key}`
      now.set(id, { kind, key, why: `${now.get(id)?.why ?? ''} ${why}` })
    }
  return now
}

/** Returns the loop that adds resources whose records had a run to the queue. */
export function createResultsLoop(context: OperatorContext, kinds: readonly KindOperator[]): WakeableLoop {
  const { store, log, clusterId } = context
  const everyMs = context.times.resultsMs
  const queues = new Map(kinds.map(({ kind, queue }) => [kind.records.resource.declares, queue]))
  const look = ({ kind, key }: ResourceKey) => queues.get(kind)?.add(key, 'later')
  let since: string | null = null
  /** The runs of the last look, which the overlap shows again. */
  let looked: ReadonlyMap<string, string> = new Map()
  /**
   * What rests or fails to deliver, and why, since the last look for that. Null: there was none, and each resource is
   * looked at anyway.
   */
  let resting: ReadonlyMap<string, RestingKey> | null = null
  let restingAt = 0
  let isAway = false

  async function lookForRuns(): Promise<void> {
    const now = new Map<string, string>()
    for (const { kind, namespace, name, last_run_at: at } of await finishedSince(store, clusterId, since)) {
      const key = `${namespace}/${name}`
      now.set(`${kind} ${key}`, at)
      if (looked.get(`${kind} ${key}`) !== at) look({ kind, key })
      const next = new Date(Date.parse(at) - OVERLAP_MS).toISOString()
      if (since === null || next > since) since = next
    }
    looked = now
  }

  async function lookForRest(): Promise<void> {
    const now = await restingNow(context)
    const before = resting
    if (before)
      for (const [id, one] of new Map([...before, ...now])) if (before.get(id)?.why !== now.get(id)?.why) look(one)
    // A destination may have given up and taken a message again between two of these looks, and a status between them.
    for (const [id, one] of context.notDelivering) if (!now.has(id)) look(one)
    resting = now
  }

  return createWakeableLoop({
    work: async () => {
      const began = performance.now()
      await lookForRuns()
      if (began >= restingAt) {
        await lookForRest()
        restingAt = began + REST_LOOKS * everyMs
      }
      // After a long outage the next attempts would be many minutes away.
      if (isAway) for (const { queue } of kinds) queue.retryFailing()
      isAway = false
      return Math.max(everyMs, LOOK_SHARE * (performance.now() - began))
    },
    onFault: (err) => {
      isAway = true
      log.warn({ err }, 'the store did not answer about results; trying again')
    },
    faultPauses: { firstMs: 1_000, longestMs: 10_000 },
  })
}
