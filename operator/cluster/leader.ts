import { sleep } from '../../concurrency/loops/sleep.ts'
import { type KubeAnswer, type KubeClient, KubeError } from './kube-client.ts'
import { microTime } from './kube-object.ts'
import { INSTALLATION, type Lease, leasesIn, UNINSTALL } from './lease.ts'

/** Durations of an election in milliseconds: those of Kubernetes' own controllers. */
interface LeaderTimes {
  /** Others take the lease over when it was not renewed for this long. */
  readonly leaseMs: number
  /** A leader that could not renew for this long stops. It is shorter than the lease, so that it stops in time. */
  readonly renewMs: number
  readonly everyMs: number
}

const TIMES: LeaderTimes = { leaseMs: 15_000, renewMs: 10_000, everyMs: 2_000 }

interface LeaderOptions {
  readonly client: KubeClient
  readonly namespace: string
  readonly name: string
  /** Unique for each process: the name of the pod, or of the host, with a random part. */
  readonly identity: string
  /** The account that the operators of one installation share; see `installationOf`. Default: it is not known. */
  readonly installation?: string | null
  readonly log: { warn(fields: object, text: string): void; info(fields: object, text: string): void }
  readonly times?: Partial<LeaderTimes>
}

/**
 * A place in an election over a Lease of the API server, as client-go does it. Whether a lease has ended is judged by
 * this process' own monotonic clock since it last saw the lease change: the clocks of other machines do not matter.
 */
export class Leader {
  /**
   * Resolves when the leadership is lost: it could not be renewed in time, or another process has it. The process must
   * stop its work at once. What it still writes is refused by the epoch in the store.
   */
  readonly lost: Promise<void>
  readonly #options: LeaderOptions
  readonly #times: LeaderTimes
  readonly #lose: () => void
  readonly #collection: string
  readonly #stopping = new AbortController()
  #seen: { readonly version: string; readonly at: number } | null = null
  /** The lease changed while this process looked on: somebody renews it. */
  #isRenewed = false
  #renewing: Promise<void> = Promise.resolve()
  #isLeader = false
  /** Another process has the lease, although this one held it. */
  #isTaken = false
  /** Who had the lease when this process could not take it. */
  #waitsFor: string | null = null
  /** Another process held the lease when this one looked last, and that process is not an uninstall. */
  #isOthers = false

  constructor(options: LeaderOptions) {
    this.#options = options
    this.#times = { ...TIMES, ...options.times }
    this.#collection = leasesIn(options.namespace)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.lost = promise
    this.#lose = resolve
  }

  /** Resolves when this process is the leader. Rejects when the signal is aborted before. */
  async acquire(signal: AbortSignal): Promise<void> {
    const { identity, log } = this.#options
    let heldAt: number | null = null
    for (;;) {
      signal.throwIfAborted()
      heldAt = await this.#tryHold(this.#times.renewMs)
      if (heldAt !== null) break
      await sleep(this.#times.everyMs * (0.5 + Math.random() / 2), signal)
    }
    this.#isLeader = true
    log.info({ identity }, 'this process is the leader')
    this.#renewing = this.#renew(heldAt)
  }

  /**
   * Whether an operator works: this one leads, or another one renews the lease. What holds it may be gone: an uninstall
   * never renews it, and nor does a process that was killed.
   */
  get isHeld(): boolean {
    const sinceChange = performance.now() - (this.#seen?.at ?? Number.NEGATIVE_INFINITY)
    return this.#isLeader || (this.#isOthers && this.#isRenewed && sinceChange < this.#times.renewMs)
  }

  /** Ends the leadership, because something else than the lease says that another process leads. */
  giveUp(): void {
    this.#lose()
  }

  /** Gives the leadership up, so that another process gets it at once. */
  async release(): Promise<void> {
    this.#stopping.abort()
    await this.#renewing
    const { name, namespace, log } = this.#options
    if (!this.#isLeader || this.#seen === null) return
    this.#isLeader = false
    const metadata = { name, namespace, resourceVersion: this.#seen.version, ...this.#annotations() }
    const spec = { ...this.#spec(0), holderIdentity: '', leaseDurationSeconds: 1 }
    await this.#write('PUT', { metadata, spec }).catch((err: unknown) =>
      log.warn({ err }, 'the lease of the leader could not be given up; it ends by itself'),
    )
  }

  async #renew(heldAt: number): Promise<void> {
    const { identity, log } = this.#options
    const { everyMs, renewMs } = this.#times
    const { signal } = this.#stopping
    let renewedAt = heldAt
    const leftMs = () => renewedAt + renewMs - performance.now()
    while (!signal.aborted) {
      await sleep(Math.max(0, Math.min(everyMs, leftMs())), signal)
      if (signal.aborted) return
      // At most half of the time: a request that gets no answer is followed by another one.
      const again = leftMs() > 0 ? await this.#tryHold(Math.min(leftMs(), renewMs / 2)) : null
      if (again !== null) renewedAt = again
      else if (this.#isTaken || leftMs() <= 0) {
        this.#isLeader = false
        log.warn({ identity }, 'this process is not the leader any more')
        return this.#lose()
      }
    }
  }

  /**
   * Tries to take or renew the lease. Reading and writing share one limit: with a limit for each, they could outlive
   * the lease together. Returns when the lease was held at the latest, or null.
   */
  async #tryHold(limitMs: number): Promise<number | null> {
    const began = performance.now()
    try {
      return (await this.#hold(AbortSignal.timeout(Math.ceil(limitMs)))) ? began : null
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the lease of the leader could not be read or written; trying again')
      return null
    }
  }

  /** Tries once to take or renew the lease. */
  async #hold(signal: AbortSignal): Promise<boolean> {
    const { client, name, namespace, identity } = this.#options
    const now = performance.now()
    const path = `${this.#collection}/${name}`
    const found: KubeAnswer<Lease> = await client.call({ method: 'GET', path, signal })
    if (found.status === 404)
      return this.#isWritten(
        await this.#write(
          'POST',
          { metadata: { name, namespace, ...this.#annotations() }, spec: this.#spec(0) },
          signal,
        ),
        now,
      )
    if (found.status !== 200) throw new KubeError('the lease of the leader', found)
    const { spec = {} } = found.body
    const { resourceVersion } = found.body.metadata
    if (this.#seen?.version !== resourceVersion) {
      this.#isRenewed = this.#seen !== null
      this.#seen = { version: resourceVersion, at: now }
    }
    const isMine = spec.holderIdentity === identity
    this.#isOthers = !isMine && !['', UNINSTALL].includes(spec.holderIdentity ?? '')
    if (!isMine && !this.#mayTake(found.body, now)) {
      this.#logWait(found.body)
      return false
    }
    const transitions = (spec.leaseTransitions ?? 0) + (isMine ? 0 : 1)
    const next = this.#spec(transitions, isMine ? spec.acquireTime : undefined)
    // The version makes the write conditional: of two processes that take a free lease, one gets a 409.
    const metadata = { name, namespace, resourceVersion, ...this.#annotations() }
    const answer = await this.#write('PUT', { metadata, spec: next }, signal)
    return this.#isWritten(answer, now)
  }

  /** Returns whether the lease is this process' own now, and remembers its version. */
  #isWritten(answer: KubeAnswer<Lease>, at: number): boolean {
    if (answer.status === 409) return false
    if (answer.status >= 300) throw new KubeError('the lease of the leader', answer)
    this.#seen = { version: answer.body.metadata.resourceVersion, at }
    return true
  }

  /** Returns whether a lease of another process has ended. A process that led before does not take it back. */
  #mayTake({ metadata, spec = {} }: Lease, now: number): boolean {
    const { holderIdentity, leaseDurationSeconds = 0, renewTime = '' } = spec
    if (this.#isLeader) this.#isTaken = true
    const seenAt = this.#seen?.at ?? now
    const ends = Date.parse(renewTime) + leaseDurationSeconds * 1_000
    // An uninstall that ended long ago, or was of another installation, must not keep a new one waiting.
    const isOver = holderIdentity === UNINSTALL && (ends <= Date.now() || this.#isOfAnother(metadata.annotations))
    return !this.#isLeader && (!holderIdentity || isOver || seenAt + leaseDurationSeconds * 1_000 <= now)
  }

  /** Returns whether the lease was held last by an installation that is surely not this one. */
  #isOfAnother(annotations: Readonly<Record<string, string>> = {}): boolean {
    const own = this.#options.installation ?? null
    const last = annotations[INSTALLATION]
    return own !== null && last !== undefined && last !== own
  }

  #annotations(): { readonly annotations?: Readonly<Record<string, string>> } {
    const { installation = null } = this.#options
    return installation === null ? {} : { annotations: { [INSTALLATION]: installation } }
  }

  /** Says once for each holder why nothing happens here. */
  #logWait({ spec: { holderIdentity = '', leaseDurationSeconds } = {} }: Lease): void {
    if (this.#isLeader || this.#waitsFor === holderIdentity) return
    this.#waitsFor = holderIdentity
    const { name, namespace, log } = this.#options
    const lease = { lease: `${namespace}/${name}`, holder: holderIdentity, seconds: leaseDurationSeconds }
    if (holderIdentity === UNINSTALL) log.info(lease, 'an uninstall keeps operators from leading for a while; waiting')
    else log.info(lease, 'another operator leads, or was killed a moment ago; this one waits for the lease')
  }

  #spec(transitions: number, acquired = microTime(new Date())) {
    return {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(this.#times.leaseMs / 1_000),
      acquireTime: acquired,
      renewTime: microTime(new Date()),
      leaseTransitions: transitions,
    }
  }

  #write(method: 'POST' | 'PUT', lease: object, signal?: AbortSignal): Promise<KubeAnswer<Lease>> {
    const { client, name } = this.#options
    const path = method === 'POST' ? this.#collection : `${this.#collection}/${name}`
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease }
    return client.call({ method, path, body, signal, timeoutMs: this.#times.renewMs })
  }
}
