import {
  createRunnerToken,
  liveRunnerJobs,
  revokeRunnerTokens,
} from '../../store/accounts/credentials/runner-tokens.ts'
import { KubeError, MERGE_PATCH } from '../cluster/kube-client.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { RemovalReason } from './decide-runners.ts'
import {
  type JobObject,
  podOfJob,
  type PodTemplate,
  RUNNER_CONTAINER,
  runnerJob,
  type RunnerPods,
  tokenSecret,
} from './runner-job.ts'

/** A Job that has a token. */
interface TokenOfJob {
  readonly name: string
  /** Its browsers run without their own sandbox. */
  readonly isUnsandboxed: boolean
}

/** The Jobs of runners: each has a token in the store, and a Secret with it that belongs to the Job. */
export class RunnerJobs {
  readonly #context: OperatorContext
  readonly #pods: RunnerPods
  #count = 0

  constructor(context: OperatorContext, pods: RunnerPods) {
    this.#context = context
    this.#pods = pods
  }

  get path(): string {
    return `/apis/batch/v1/namespaces/${this.#context.client.namespace}/jobs`
  }

  /** Returns the Jobs whose tokens are valid. */
  async withTokens(): Promise<readonly TokenOfJob[]> {
    const live = await liveRunnerJobs(this.#context.store, this.#boundTo(''))
    return live.map(({ job, is_unsandboxed: isUnsandboxed }) => ({
      name: job.slice(this.#boundTo('').length),
      isUnsandboxed,
    }))
  }

  async template(): Promise<PodTemplate> {
    const { client } = this.#context
    const { template } = this.#pods
    const path = `/api/v1/namespaces/${client.namespace}/podtemplates/${template}`
    const answer = await client.call<PodTemplate>({ method: 'GET', path })
    if (answer.status !== 200) throw new KubeError(`the PodTemplate ${template}`, answer)
    const found = { ...answer.body, apiVersion: 'v1', kind: 'PodTemplate' }
    if (found.template?.spec?.containers?.some(({ name }) => name === RUNNER_CONTAINER)) return found
    const message = `it has no container with the name ${RUNNER_CONTAINER}`
    throw new KubeError(`the PodTemplate ${template}`, { status: 422, body: { message }, retryAfterMs: null })
  }

  /**
   * Creates a Job suspended, gives it its token, and lets it start. Returns its name.
   *
   * @param checkNo the check that its runner is for; null: any
   */
  async create(template: PodTemplate, checkNo: number | null): Promise<string> {
    const { client, epoch, log } = this.#context
    const name = `${template.metadata.name.slice(0, 40)}-${epoch.toString(36)}-${(this.#count + 1).toString(36)}`
    const job = runnerJob(name, template, { ...this.#pods, checkNo })
    // Quotas and the security standard of the namespace refuse pods, and a Job would only wait for ever.
    const trial = `/api/v1/namespaces/${client.namespace}/pods?dryRun=All`
    const tried = await client.call({ method: 'POST', path: trial, body: podOfJob(job) })
    if (tried.status >= 300) throw new KubeError(`the pod of ${name} is refused`, tried)
    // A name is used once. An answer that was lost leaves a suspended Job, which the next pass removes.
    this.#count += 1
    const made = await client.call<JobObject>({ method: 'POST', path: this.path, body: job })
    if (made.status !== 201) throw new KubeError(`the Job ${name} is refused`, made)
    try {
      await this.#release(made.body, checkNo)
    } catch (error) {
      await this.remove(name, 'orphan').catch((err: unknown) => log.warn({ err, job: name }, 'a Job stays for now'))
      throw error
    }
    return name
  }

  async #release(job: JobObject, checkNo: number | null): Promise<void> {
    const { client, useCases } = this.#context
    const { checks, lifetimeSeconds: ttlSeconds } = this.#pods
    const { name } = job.metadata
    const claims = checkNo === null ? { claims: checks } : { claims: 1, checkNo }
    const { token } = await useCases.store.transaction((tx) =>
      createRunnerToken(tx, { job: this.#boundTo(name), ttlSeconds, ...claims }),
    )
    const path = `/api/v1/namespaces/${client.namespace}/secrets`
    const secret = await client.call({ method: 'POST', path, body: tokenSecret(job, token) })
    if (secret.status !== 201) throw new KubeError(`the Secret of the Job ${name} is refused`, secret)
    const body = { spec: { suspend: false } }
    const own = `${this.path}/${name}`
    const released = await client.call({ method: 'PATCH', path: own, body, contentType: MERGE_PATCH })
    if (released.status !== 200) throw new KubeError(`the Job ${name} cannot be released`, released)
  }

  /** Deletes a Job with its pod, and revokes its token. */
  async remove(name: string, why: RemovalReason): Promise<void> {
    const { client, log } = this.#context
    const path = `${this.path}/${name}?propagationPolicy=Background`
    const answer = await client.call({ method: 'DELETE', path })
    if (answer.status >= 300 && answer.status !== 404) throw new KubeError(`the Job ${name} cannot be deleted`, answer)
    await this.revoke(name)
    log[why === 'not_needed' ? 'info' : 'warn']({ job: name, why }, 'the Job of a runner was removed')
  }

  /** Revokes the token of a Job. */
  async revoke(name: string): Promise<void> {
    await revokeRunnerTokens(this.#context.store, this.#boundTo(name))
  }

  /** The name that a token is bound to. A store may serve several clusters. */
  #boundTo(name: string): string {
    const { clusterId, client } = this.#context
    return `${clusterId}/${client.namespace}/${this.#pods.template}/${name}`
  }
}
