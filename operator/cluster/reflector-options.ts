import type { KubeClient } from './kube-client.ts'
import type { KubeObject } from './kube-object.ts'

/** What happened to an object. */
interface ObjectChange<T> {
  readonly before: T | undefined
  readonly now: T | undefined
  /**
   * `deleted`: the API server said so. `missing`: the object was not in a new list, and no deletion was seen. It may
   * have been deleted while the watch was interrupted, or its whole kind may be gone.
   */
  readonly how: 'set' | 'deleted' | 'missing'
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: KubeClient
  /** The path of the collection, for example `/apis/tidemark.dev/v1/monitors`. */
  readonly path: string
  /** Only objects with these labels, as in `name=value`. Default: all. */
  readonly labelSelector?: string
  /** Removes what nobody reads, before the object is kept. */
  readonly strip: (object: T) => T
  /** Called in the order of the events. It must not throw. */
  readonly onChange: (key: string, change: ObjectChange<T>) => void
  /** Called when the API server answers again after a fault. */
  readonly onBack?: () => void
  readonly log: { warn(fields: object, text: string): void; info(fields: object, text: string): void }
  readonly times?: Partial<ReflectorTimes>
}

/** Durations in milliseconds. */
export interface ReflectorTimes {
  /**
   * A watch without a byte for this long is stalled and is opened again. The API server sends a bookmark each minute.
   */
  readonly quietMs: number
  /** The API server ends a watch after one to two times this. */
  readonly watchMs: number
  /**
   * After a watch has ended, everything is listed again when the last list is older than one to two times this. It
   * finds what a watch did not tell.
   */
  readonly listMs: number
  /**
   * The same after a watch that the API server ended before its time. It does so when the definition of the kind
   * changes, and a watch of the old definition may have shown objects without fields of the new one.
   */
  readonly listAfterEndMs: number
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** A watch that lived this long resets the pauses. */
  readonly healthyMs: number
}

export const TIMES: ReflectorTimes = {
  quietMs: 90_000,
  watchMs: 300_000,
  listMs: 1_800_000,
  listAfterEndMs: 300_000,
  firstPauseMs: 800,
  longestPauseMs: 30_000,
  healthyMs: 120_000,
}
