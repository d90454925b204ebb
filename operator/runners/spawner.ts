import { Gauge, type Registry } from 'prom-client'
import { createBackoff } from '../../concurrency/loops/retry.ts'
import { createWakeableLoop, Running, type WakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import type { Logger } from '../../core/logger.ts'
import {
  createRunnerToken,
  liveRunnerJobs,
  revokeRunnerTokens,
} from '../../store/accounts/credentials/runner-tokens.ts'
import type { Store } from '../../store/db/client.ts'
import { fencedStore, NotLeaderError } from '../../store/db/operator-epoch.ts'
import { browserDemand } from '../../store/queue/browser-demand.ts'
import { isolatedChecks, noteRunnerPods } from '../../store/queue/isolated-checks.ts'
import type { EventRecorder } from '../cluster/event-recorder.ts'
import { type KubeClient, KubeError, MERGE_PATCH } from '../cluster/kube-client.ts'
import { Reflector } from '../cluster/reflector.ts'
import { decideRunners, type RemovalReason, type RunnersDecision } from './decide-runners.ts'
import {
  endOf,
  type JobObject,
  podOfJob,
  type PodTemplate,
  readRunnerJob,
  RUNNER_CONTAINER,
  runnerJob,
  type RunnerPods,
  RUNNERS,
  strippedJob,
  tokenSecret,
} from './runner-job.ts'
import { createRunnerReports } from './runner-reports.ts'

interface SpawnerOptions {
  readonly pods: RunnerPods
  readonly client: KubeClient
  readonly store: Store
  readonly clusterId: string
  readonly epoch: number
  readonly events: EventRecorder
  readonly times: SpawnerTimes
  /** Called when the store knows another leader. */
  readonly giveUp: () => void
  /**
   * Called when the cluster begins to refuse pods, or to keep them from starting, with the reason, and with null when
   * it does neither.
   */
  readonly onRefusal: (why: string | null) => void
  readonly log: Logger
}

/** Durations in milliseconds. */
export interface SpawnerTimes {
  /** How often the queue is asked. */
  readonly everyMs: number
  /** A released Job that a watch, which works, has not shown for this long is not there. */
  readonly unseenMs: number
  /** After a refusal or a failed pod, no Job is created for this long. Each time is twice as long as the one before. */
  readonly pauses: { readonly firstMs: number; readonly longestMs: number }
}

export const SPAWNER_TIMES: SpawnerTimes = {
  everyMs: 2_000,
  unseenMs: 30_000,
  pauses: { firstMs: 2_000, longestMs: 300_000 },
}

interface Hindrance {
  /** Why the cluster refused the last pod. Null: it took it. */
  readonly refused: string | null
  /** How the last pods failed, one after the other. Null: one has completed since then. */
  readonly failing: string | null
  /** That a pod was given up, because it did not start. Null: one has run since then. */
  readonly notStarted: string | null
}

/** So many pods that failed, one after the other, are no accident: checks wait because of them. */
const FAILURES = 3

/** A copy of the Jobs without an event or bookmark for this long is out of date. A bookmark comes each minute. */
const QUIET_MS = 120_000
/** The pause between two looks is at least this many times as long as a look. */
const LOOK_SHARE = 20

/**
 * Keeps as many runner pods as the browser queue needs. Each is a Job, which is created suspended, gets a token of its
 * own in a Secret that belongs to it, and is released then. Whoever leads next finds what was left half done.
 */
export class Spawner {
  readonly #options: SpawnerOptions
  readonly #jobs: Reflector<JobObject>
  readonly #loop: WakeableLoop
  readonly #pauses: ReturnType<typeof createBackoff>
  readonly #reports: ReturnType<typeof createRunnerReports>
  /** Released Jobs, by name, until the watch shows them. */
  readonly #released = new Map<string, { readonly at: number; readonly isIsolated: boolean }>()
  /**
   * Jobs whose pods do not run, by name, and since when. It is the time that this leader saw it: the status of a Job
   * does not tell whether its pod ran before, and was evicted or is about to end.
   */
  readonly #waitingSince = new Map<string, number>()
  /** The last pod was not for an isolated check. */
  #isIsolatedNext = true
  #pausedUntil = 0
  #count = 0
  #decided: RunnersDecision = { want: 0, have: null, create: 0, isolate: [], remove: [], revoke: [] }
  #isSynced = false
  /** Jobs of whose browsers it was said that they have no sandbox. */
  readonly #unsafe = new Set<string>()
  #hindrance: Hindrance = { refused: null, failing: null, notStarted: null }
  /** Failures since a pod has completed. Those of pods that end together are one. */
  #failuresInRow = 0
  /** Reads of pods that failed, and what is said about them. */
  readonly #saying = new Running()
  readonly #counted = { failures: 0, refusals: 0 }

  constructor(options: SpawnerOptions) {
    this.#options = options
    const { client, pods, times, log } = options
    this.#pauses = createBackoff(times.pauses)
    this.#reports = createRunnerReports(options)
    this.#jobs = new Reflector<JobObject>({
      client,
      path: this.#path('jobs'),
      labelSelector: `${RUNNERS}=${pods.template}`,
      strip: strippedJob,
      onChange: (_, { before, now }) => this.#changed(before, now),
      log,
    })
    this.#loop = createWakeableLoop({
      work: () => this.#pass(),
      onFault: (err) => {
        if (err instanceof NotLeaderError) options.giveUp()
        else log.warn({ err }, 'runner pods could not be looked after; trying again')
      },
      faultPauses: { firstMs: 1_000, longestMs: 30_000 },
      gatherMs: 100,
    })
  }

  start(registry: Registry): void {
    this.#gauges(registry)
    this.#jobs.start()
    void this.#jobs.synced.then(() => {
      this.#isSynced = true
      this.#loop.wake()
    })
    this.#loop.start()
  }

  async stop(): Promise<void> {
    await Promise.all([this.#loop.stop(), this.#jobs.stop()])
    await this.#saying.settled()
  }

  async #pass(): Promise<number> {
    const { store, pods, times, clusterId, epoch } = this.#options
    const began = performance.now()
    await noteRunnerPods(store, clusterId, epoch)
    const tokens = await liveRunnerJobs(store, this.#boundTo(''))
    const demand = await browserDemand(store, pods.slots * pods.max)
    const isolated = await isolatedChecks(store, pods.max)
    const tookMs = performance.now() - began
    this.#forgetUnseen()
    this.#decided = decideRunners({
      jobs: this.#known(),
      released: this.#released,
      tokens: tokens.map(({ job }) => this.#jobOf(job)),
      demand,
      isolated,
      slots: pods.slots,
      max: pods.max,
      waitingSince: this.#waitingSince,
      nowMs: performance.now(),
      startMs: pods.startSeconds * 1_000,
      isIsolatedNext: this.#isIsolatedNext,
    })
    for (const token of tokens) if (token.is_unsandboxed) this.#unsandboxed(this.#jobOf(token.job))
    for (const { name, why } of this.#decided.remove) await this.#remove(name, why)
    for (const name of this.#decided.revoke) await revokeRunnerTokens(store, this.#boundTo(name))
    const wanted = [...this.#decided.isolate, ...Array.from({ length: this.#decided.create }, () => null)]
    if (wanted.length > 0 && performance.now() >= this.#pausedUntil) await this.#createAll(wanted)
    return Math.max(times.everyMs, LOOK_SHARE * tookMs)
  }

  #known() {
    if (!this.#isSynced || this.#jobs.state().quietMs > QUIET_MS) return null
    return [...this.#jobs.all()].map(readRunnerJob)
  }

  /** A Job changed, or its end was seen. */
  #changed(before: JobObject | undefined, now: JobObject | undefined): void {
    const name = (now ?? before)?.metadata.name ?? ''
    if (!now || now.spec?.suspend !== true) this.#released.delete(name)
    if (!now) this.#unsafe.delete(name)
    this.#waits(name, now)
    const end = now && endOf(now)
    if (now && end && before && endOf(before) === null) {
      if (end.isFailed) this.#failed(now, end)
      else this.#worked()
    }
    this.#loop.wake()
  }

  /** Notes whether the pod of a Job runs. */
  #waits(name: string, job: JobObject | undefined): void {
    if ((job?.status?.ready ?? 0) > 0) this.#hinders({ notStarted: null })
    if (!job || !readRunnerJob(job).isWaiting) this.#waitingSince.delete(name)
    else if (!this.#waitingSince.has(name)) this.#waitingSince.set(name, performance.now())
  }

  #failed(job: JobObject, end: { readonly reason: string; readonly message: string }): void {
    this.#counted.failures += 1
    if (performance.now() >= this.#pausedUntil) this.#failuresInRow += 1
    this.#pause()
    const isFailing = this.#failuresInRow >= FAILURES
    const said = this.#reports.failed(job, end).then((why) => {
      // One may have completed meanwhile.
      if (isFailing && this.#failuresInRow >= FAILURES) this.#hinders({ failing: `the last ones failed. ${why}` })
    })
    this.#saying.add(said)
  }

  /** Pods work. */
  #worked(): void {
    this.#pauses.reset()
    this.#pausedUntil = 0
    this.#failuresInRow = 0
    this.#hinders({ failing: null, notStarted: null })
  }

  /** Pods that end together, as with their node, are one failure. */
  #pause(): void {
    if (performance.now() >= this.#pausedUntil) this.#pausedUntil = performance.now() + this.#pauses.next()
  }

  /** Creates a Job for each isolated check, and for each null one that any check can have. */
  async #createAll(wanted: readonly (number | null)[]): Promise<void> {
    const { pods, events, log } = this.#options
    let template: PodTemplate | null = null
    try {
      template = await this.#template()
      for (const checkNo of wanted) await this.#create(template, checkNo)
      this.#hinders({ refused: null })
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      this.#counted.refusals += 1
      this.#pause()
      this.#hinders({ refused: error.message })
      log.warn({ err: error, template: pods.template }, 'a runner pod could not be created; checks wait')
      const note = `Checks that need a browser wait. ${error.message}`
      const reason = reasonOf(error)
      if (template) events.record(template, { type: 'Warning', reason, action: 'CreateRunner', note })
    }
  }

  /** Says why checks wait, when that is another reason than before. */
  #hinders(change: Partial<Hindrance>): void {
    const reason = () => this.#hindrance.refused ?? this.#hindrance.failing ?? this.#hindrance.notStarted
    const before = reason()
    this.#hindrance = { ...this.#hindrance, ...change }
    const now = reason()
    if (now !== before) this.#options.onRefusal(now)
  }

  async #template(): Promise<PodTemplate> {
    const { client, pods } = this.#options
    const path = `/api/v1/namespaces/${client.namespace}/podtemplates/${pods.template}`
    const answer = await client.call<PodTemplate>({ method: 'GET', path })
    if (answer.status !== 200) throw new KubeError(`the PodTemplate ${pods.template}`, answer)
    const found = { ...answer.body, apiVersion: 'v1', kind: 'PodTemplate' }
    if (found.template?.spec?.containers?.some(({ name }) => name === RUNNER_CONTAINER)) return found
    const message = `it has no container with the name ${RUNNER_CONTAINER}`
    throw new KubeError(`the PodTemplate ${pods.template}`, { status: 422, body: { message }, retryAfterMs: null })
  }

  async #create(template: PodTemplate, checkNo: number | null): Promise<void> {
    const { client, epoch, pods, log } = this.#options
    const name = `${template.metadata.name.slice(0, 40)}-${epoch.toString(36)}-${(this.#count + 1).toString(36)}`
    const job = runnerJob(name, template, { ...pods, checkNo })
    // Quotas and the security standard of the namespace refuse pods, and a Job would only wait for ever.
    const trial = `/api/v1/namespaces/${client.namespace}/pods?dryRun=All`
    const tried = await client.call({ method: 'POST', path: trial, body: podOfJob(job) })
    if (tried.status >= 300) throw new KubeError(`the pod of ${name} is refused`, tried)
    // A name is used once. An answer that was lost leaves a suspended Job, which the next pass removes.
    this.#count += 1
    const made = await client.call<JobObject>({ method: 'POST', path: this.#path('jobs'), body: job })
    if (made.status !== 201) throw new KubeError(`the Job ${name} is refused`, made)
    try {
      await this.#release(made.body, checkNo)
    } catch (error) {
      await this.#remove(name, 'orphan').catch((err: unknown) => log.warn({ err, job: name }, 'a Job stays for now'))
      throw error
    }
  }

  /** Gives the Job its token, and lets it start. */
  async #release(job: JobObject, checkNo: number | null): Promise<void> {
    const { client, store, clusterId, epoch, pods, log } = this.#options
    const { name } = job.metadata
    const { token } = await fencedStore(store, clusterId, epoch).transaction((tx) =>
      createRunnerToken(tx, {
        job: this.#boundTo(name),
        ttlSeconds: pods.lifetimeSeconds,
        ...(checkNo === null ? { claims: pods.checks } : { claims: 1, checkNo }),
      }),
    )
    const path = `/api/v1/namespaces/${client.namespace}/secrets`
    const secret = await client.call({ method: 'POST', path, body: tokenSecret(job, token) })
    if (secret.status !== 201) throw new KubeError(`the Secret of the Job ${name} is refused`, secret)
    const body = { spec: { suspend: false } }
    const own = `${this.#path('jobs')}/${name}`
    const released = await client.call({ method: 'PATCH', path: own, body, contentType: MERGE_PATCH })
    if (released.status !== 200) throw new KubeError(`the Job ${name} cannot be released`, released)
    this.#released.set(name, { at: performance.now(), isIsolated: checkNo !== null })
    this.#isIsolatedNext = checkNo === null
    log.info({ job: name, want: this.#decided.want, have: this.#decided.have }, 'a runner pod was started')
  }

  async #remove(name: string, why: RemovalReason): Promise<void> {
    const { client, store, log, pods } = this.#options
    const job = this.#jobs.get(`${client.namespace}/${name}`)
    // A pod goes with its Job.
    const pod = why === 'not_started' ? await this.#reports.podOf(name) : null
    const path = `${this.#path('jobs')}/${name}?propagationPolicy=Background`
    const answer = await client.call({ method: 'DELETE', path })
    if (answer.status >= 300 && answer.status !== 404) throw new KubeError(`the Job ${name} cannot be deleted`, answer)
    this.#released.delete(name)
    await revokeRunnerTokens(store, this.#boundTo(name))
    log[why === 'not_needed' ? 'info' : 'warn']({ job: name, why }, 'the Job of a runner was removed')
    if (why !== 'not_started' || !job) return
    this.#counted.failures += 1
    this.#pause()
    this.#hinders({ notStarted: this.#reports.notStarted(job, pod, pods.startSeconds) })
  }

  #forgetUnseen(): void {
    // A watch that is silent does not show Jobs that there are.
    const heardAt = performance.now() - this.#jobs.state().quietMs
    const { unseenMs } = this.#options.times
    for (const [name, { at }] of this.#released) if (heardAt > at + unseenMs) this.#released.delete(name)
  }

  /** The name that a token is bound to. A store may serve several clusters. */
  #boundTo(name: string): string {
    const { clusterId, client, pods } = this.#options
    return `${clusterId}/${client.namespace}/${pods.template}/${name}`
  }

  /** Returns the name of the Job that a token is bound to. */
  #jobOf(boundTo: string): string {
    return boundTo.slice(this.#boundTo('').length)
  }

  /** Says that the browsers of a Job have no sandbox of their own, once of each Job. */
  #unsandboxed(name: string): void {
    if (this.#unsafe.has(name) || !this.#jobs.get(`${this.#options.client.namespace}/${name}`)) return
    this.#unsafe.add(name)
    this.#saying.add(this.#reports.unsandboxed(name, this.#template()))
  }

  #path(plural: string): string {
    return `/apis/batch/v1/namespaces/${this.#options.client.namespace}/${plural}`
  }

  #gauges(registry: Registry): void {
    const gauge = (name: string, help: string, value: () => number) =>
      new Gauge({
        name: `tidemark_operator_${name}`,
        help,
        registers: [registry],
        collect() {
          this.set(value())
        },
      })
    gauge('runners_wanted', 'Runner pods that the browser queue needs.', () => this.#decided.want)
    gauge('runners', 'Runner pods that there are.', () => this.#decided.have ?? 0)
    gauge('runner_failures_total', 'Runner pods that failed or did not start.', () => this.#counted.failures)
    gauge('runner_refusals_total', 'Runner pods that the cluster refused.', () => this.#counted.refusals)
  }
}

/** Returns the reason of the Event about a refusal. */
function reasonOf({ message, status }: KubeError): string {
  if (/exceeded quota/.test(message)) return 'QuotaExceeded'
  if (/violates PodSecurity/.test(message)) return 'PodSecurityRefused'
  return status === 404 ? 'NoTemplate' : 'RunnerRefused'
}
