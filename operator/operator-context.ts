import type { TokenBucket } from '../concurrency/loops/token-bucket.ts'
import type { Logger } from '../core/logger.ts'
import type { MonitorContext } from '../monitors/context.ts'
import type { MonitorKind } from '../schema/resource-kind.ts'
import type { Store } from '../store/db/client.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { EventRecorder } from './cluster/event-recorder.ts'
import type { KubeClient } from './cluster/kube-client.ts'
import type { Namespaces } from './cluster/namespaces.ts'
import type { OperatorTimes } from './operator-times.ts'
import type { DefaultTeam } from './reconcile/custom-resource.ts'
import type { createResolver } from './reconcile/resolve-resource.ts'
import type { RunnerRefusal } from './runners/runner-refusal.ts'

/** How a look at a resource ended. After a fault it is repeated. */
export type ReconcileOutcome = 'done' | 'fault'

/** A resource, by the kind of its records and its namespace/name. */
export interface ResourceKey {
  readonly kind: MonitorKind
  readonly key: string
}

/** What all parts of one leadership work with. */
export interface OperatorContext {
  readonly client: KubeClient
  readonly store: Store
  readonly secrets: SecretBox
  /** The use cases on the store of this epoch. */
  readonly useCases: Pick<MonitorContext, 'store' | 'secrets' | 'wake'>
  readonly clusterId: string
  readonly epoch: number
  readonly namespaces: Namespaces
  readonly resolve: ReturnType<typeof createResolver>
  readonly events: EventRecorder
  readonly defaultTeam: DefaultTeam | null
  /** The pause between two searches at an engine, from which follows how many fit. */
  readonly serpSpacingMs: number
  readonly runnerRefusal: RunnerRefusal
  /** Resources whose status says that a destination gave up, by kind and key. */
  readonly notDelivering: Map<string, ResourceKey>
  readonly times: OperatorTimes
  /** The pace of writes to the API server, over the mirrors of all kinds. */
  readonly mirrorPace: TokenBucket
  /** A look at a resource of a kind ended after so many seconds. */
  readonly reconciled: (kind: string, outcome: ReconcileOutcome, seconds: number) => void
  /** Called when the store knows another leader. */
  readonly giveUp: () => void
  readonly log: Logger
}
