import { TEAM } from '../../core/custom-resource/annotations.ts'
import type { Logger } from '../../core/logger.ts'
import type { KubeClient } from './kube-client.ts'
import type { KubeObject } from './kube-object.ts'
import { Reflector } from './reflector.ts'

interface NamespacesOptions {
  readonly client: KubeClient
  readonly log: Logger
}

/** The namespaces of the cluster, with their labels. */
export class Namespaces {
  readonly #reflector: Reflector<KubeObject>
  readonly #listeners: ((name: string) => void)[] = []

  constructor({ client, log }: NamespacesOptions) {
    this.#reflector = new Reflector<KubeObject>({
      client,
      path: '/api/v1/namespaces',
      strip: ({ metadata: { name, uid, resourceVersion, labels = {} } }) => ({
        metadata: { name, uid, resourceVersion, labels },
      }),
      onChange: (name, { before, now }) => {
        // A resource may be seen before its namespace is.
        if (!before || teamIn(before) !== teamIn(now)) for (const tell of this.#listeners) tell(name)
      },
      log,
    })
  }

  /** Calls `listener` with the name of each namespace that appears, or that another team has now. */
  onTeam(listener: (name: string) => void): void {
    this.#listeners.push(listener)
  }

  /** Resolves when each namespace was seen. */
  get synced(): Promise<void> {
    return this.#reflector.synced
  }

  get(name: string): KubeObject | undefined {
    return this.#reflector.get(name)
  }

  all(): IterableIterator<KubeObject> {
    return this.#reflector.all()
  }

  start(): void {
    this.#reflector.start()
  }

  stop(): Promise<void> {
    return this.#reflector.stop()
  }
}

const teamIn = (namespace: KubeObject | undefined) => namespace?.metadata.labels?.[TEAM]
