import { Gauge, type Registry } from 'prom-client'
import { createBackoff } from '../../concurrency/loops/retry.ts'
import { createWakeableLoop, Running, type WakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import { NotLeaderError } from '../../store/db/operator-epoch.ts'
import { browserDemand } from '../../store/queue/browser-demand.ts'
import { isolatedChecks, noteRunnerPods } from '../../store/queue/isolated-checks.ts'
import { KubeError } from '../cluster/kube-client.ts'
import { Reflector } from '../cluster/reflector.ts'
import type { OperatorContext } from '../operator-context.ts'
import { decideRunners, type RemovalReason, type RunnersDecision } from './decide-runners.ts'
import { Hindrances } from './hindrances.ts'
import {
  endOf,
  type JobObject,
  type PodTemplate,
  readRunnerJob,
  type RunnerPods,
  RUNNERS,
  strippedJob,
} from './runner-job.ts'
import { RunnerJobs } from './runner-jobs.ts'
import { createRunnerReports } from './runner-reports.ts'

/** So many pods that failed, one after the other, are not an accident: checks wait because of them. */
const FAILURES = 3

/** A copy of the Jobs without an event or bookmark for this long is out of date. A bookmark comes each minute. */
const QUIET_MS = 120_000
/** The pause between two looks is at least this many times as long as a look. */
const LOOK_SHARE = 20

/**
 * Keeps as many runner pods as the browser queue needs. Each is a Job, which is created suspended, gets its own token
 * in a Secret that belongs to it, and is released then. The next leader finds what was left half done.
 */
export class Spawner {
  readonly #context: OperatorContext
  readonly #pods: RunnerPods
  readonly #own: RunnerJobs
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
  #decided: RunnersDecision = { want: 0, have: null, create: 0, isolate: [], remove: [], revoke: [] }
  #isSynced = false
  /** Jobs of whose browsers it was said that they have no sandbox. */
  readonly #unsafe = new Set<string>()
  readonly #hindrances: Hindrances
  /** Failures since a pod has completed. Those of pods that end together are one. */
  #failuresInRow = 0
  /** Reads of pods that failed, and what is said about them. */
  readonly #saying = new Running()
  readonly #counted = { failures: 0, refusals: 0 }

  constructor(context: OperatorContext, pods: RunnerPods) {
    this.#context = context
    this.#pods = pods
    const { client, log, times, giveUp } = context
    this.#pauses = createBackoff(times.runners.pauses)
    this.#reports = createRunnerReports(context)
    this.#hindrances = new Hindrances(context.runnerRefusal)
    this.#own = new RunnerJobs(context, pods)
    this.#jobs = new Reflector<JobObject>({
      client,
      path: this.#own.path,
      labelSelector: `${RUNNERS}=${pods.template}`,
      strip: strippedJob,
      onChange: (_, { before, now }) => this.#changed(before, now),
      log,
    })
    this.#loop = createWakeableLoop({
      work: () => this.#pass(),
      onFault: (err) => {
        if (err instanceof NotLeaderError) giveUp()
        else log.warn({ err }, 'runner pods could not be looked after; trying again')
      },
      faultPauses: { firstMs: 1_000, longestMs: 30_000 },
      gatherMs: 100,
    })
  }

  start(registry: Registry): void {
    this.#watch(registry)
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
    const { store, times, clusterId, epoch } = this.#context
    const { slots, max, startSeconds } = this.#pods
    const began = performance.now()
    await noteRunnerPods(store, clusterId, epoch)
    const tokens = await this.#own.withTokens()
    const demand = await browserDemand(store, slots * max)
    const isolated = await isolatedChecks(store, max)
    const tookMs = performance.now() - began
    this.#forgetUnseen()
    this.#decided = decideRunners({
      jobs: this.#known(),
      released: this.#released,
      tokens: tokens.map(({ name }) => name),
      demand,
      isolated,
      slots,
      max,
      waitingSince: this.#waitingSince,
      nowMs: performance.now(),
      startMs: startSeconds * 1_000,
      isIsolatedNext: this.#isIsolatedNext,
    })
    for (const { name, isUnsandboxed } of tokens) if (isUnsandboxed) this.#unsandboxed(name)
    for (const { name, why } of this.#decided.remove) await this.#remove(name, why)
    for (const name of this.#decided.revoke) await this.#own.revoke(name)
    const wanted = [...this.#decided.isolate, ...Array.from({ length: this.#decided.create }, () => null)]
    if (wanted.length > 0 && performance.now() >= this.#pausedUntil) await this.#createAll(wanted)
    return Math.max(times.runners.everyMs, LOOK_SHARE * tookMs)
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
    if ((job?.status?.ready ?? 0) > 0) this.#hindrances.change({ notStarted: null })
    if (!job || !readRunnerJob(job).isWaiting) this.#waitingSince.delete(name)
    else if (!this.#waitingSince.has(name)) this.#waitingSince.set(name, performance.now())
  }

  #failed(job: JobObject, end: { readonly reason: string; readonly message: string }): void {
    this.#counted.failures += 1
    if (performance.now() >= this.#pausedUntil) this.#failuresInRow += 1
    this.#pause()
    const isFailing = this.#failuresInRow >= FAILURES
    const said = this.#reports.failed(job, end).then((why) => {
      // One may have completed while the report was written.
      if (isFailing && this.#failuresInRow >= FAILURES)
        this.#hindrances.change({ failing: `the last ones failed. ${why}` })
    })
    this.#saying.add(said)
  }

  /** Pods work. */
  #worked(): void {
    this.#pauses.reset()
    this.#pausedUntil = 0
    this.#failuresInRow = 0
    this.#hindrances.change({ failing: null, notStarted: null })
  }

  /** Pods that end together, as with their node, are one failure. */
  #pause(): void {
    if (performance.now() >= this.#pausedUntil) this.#pausedUntil = performance.now() + this.#pauses.next()
  }

  /** Creates a Job for each isolated check, and for each null one that any check can have. */
  async #createAll(wanted: readonly (number | null)[]): Promise<void> {
    const { events, log } = this.#context
    let template: PodTemplate | null = null
    try {
      template = await this.#own.template()
      for (const checkNo of wanted) await this.#create(template, checkNo)
      this.#hindrances.change({ refused: null })
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      this.#counted.refusals += 1
      this.#pause()
      this.#hindrances.change({ refused: error.message })
      log.warn({ err: error, template: this.#pods.template }, 'a runner pod could not be created; checks wait')
      const note = `Checks that need a browser wait. ${error.message}`
      const reason = reasonOf(error)
      if (template) events.record(template, { type: 'Warning', reason, action: 'CreateRunner', note })
    }
  }

  async #create(template: PodTemplate, checkNo: number | null): Promise<void> {
    const name = await this.#own.create(template, checkNo)
    this.#released.set(name, { at: performance.now(), isIsolated: checkNo !== null })
    this.#isIsolatedNext = checkNo === null
    const { want, have } = this.#decided
    this.#context.log.info({ job: name, want, have }, 'a runner pod was started')
  }

  async #remove(name: string, why: RemovalReason): Promise<void> {
    const job = this.#jobs.get(`${this.#context.client.namespace}/${name}`)
    // A pod goes with its Job.
    const pod = why === 'not_started' ? await this.#reports.podOf(name) : null
    await this.#own.remove(name, why)
    this.#released.delete(name)
    if (why !== 'not_started' || !job) return
    this.#counted.failures += 1
    this.#pause()
    this.#hindrances.change({ notStarted: this.#reports.notStarted(job, pod, this.#pods.startSeconds) })
  }

  #forgetUnseen(): void {
    // A watch that is silent does not show Jobs that there are.
    const heardAt = performance.now() - this.#jobs.state().quietMs
    const { unseenMs } = this.#context.times.runners
    for (const [name, { at }] of this.#released) if (heardAt > at + unseenMs) this.#released.delete(name)
  }

  /** Says that the browsers of a Job do not have their own sandbox, once of each Job. */
  #unsandboxed(name: string): void {
    if (this.#unsafe.has(name) || !this.#jobs.get(`${this.#context.client.namespace}/${name}`)) return
    this.#unsafe.add(name)
    this.#saying.add(this.#reports.unsandboxed(name, this.#own.template()))
  }

  #watch(registry: Registry): void {
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
