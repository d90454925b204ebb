import type { KubeObject } from '../cluster/kube-object.ts'

/** Runner pods that an operator starts. */
export interface RunnerPods {
  /** The name of the PodTemplate, in the namespace of the operator. */
  readonly template: string
  /** Checks of one pod at the same time. */
  readonly slots: number
  /** Most pods at the same time. 0: none. */
  readonly max: number
  /** Checks that the token of one pod may claim in all. */
  readonly checks: number
  /** Seconds that a token is valid. */
  readonly lifetimeSeconds: number
  /** A pod that is not running for this long, in seconds, does not start. */
  readonly startSeconds: number
}

/** A Job as the operator keeps it. */
export interface JobObject extends KubeObject {
  readonly spec?: { readonly suspend?: boolean }
  readonly status?: {
    readonly startTime?: string
    readonly ready?: number
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly message?: string
    }[]
  }
}

/** A runner's Job, as far as a decision needs it. */
export interface RunnerJob {
  readonly name: string
  /** It is for one isolated check. */
  readonly isIsolated: boolean
  readonly isSuspended: boolean
  readonly isFinished: boolean
  readonly isDeleted: boolean
  /** It has begun, and its pod does not run: not yet, or not at the moment. */
  readonly isWaiting: boolean
}

/** An object of the API server that Jobs are made from. It was validated there. */
export interface PodTemplate extends KubeObject {
  readonly template?: {
    readonly metadata?: { readonly labels?: object; readonly annotations?: object }
    readonly spec?: { readonly containers?: readonly PodContainer[]; readonly volumes?: readonly object[] }
  }
}

interface PodContainer {
  readonly name: string
  readonly env?: readonly { readonly name: string }[]
  readonly volumeMounts?: readonly object[]
}

/** The label of Jobs and Secrets of one PodTemplate, whose name is the value. */
export const RUNNERS = 'tidemark.dev/runners'
/** The label of Jobs for one isolated check, whose number is the value. */
const ISOLATED = 'tidemark.dev/check'
/** The container that claims checks. Only it sees the token. */
export const RUNNER_CONTAINER = 'runner'
/** A runner whose token is refused exits with it (cli/explain-error.ts). */
export const TOKEN_REFUSED = 77
/** A Job ends its pod this long after the token has expired. A runner ends by itself before that. */
const BEYOND_TOKEN_SECONDS = 120
const TTL_SECONDS = 120
const TOKEN_FOLDER = '/run/tidemark'
const TOKEN_KEY = 'token'

export function readRunnerJob(job: JobObject): RunnerJob {
  const { metadata, spec, status } = job
  const { startTime, ready = 0 } = status ?? {}
  const isFinished = endOf(job) !== null
  return {
    name: metadata.name,
    isIsolated: metadata.labels?.[ISOLATED] !== undefined,
    isSuspended: spec?.suspend === true,
    isFinished,
    isDeleted: metadata.deletionTimestamp !== undefined,
    isWaiting: startTime !== undefined && ready === 0 && !isFinished,
  }
}

/** Returns how a Job ended; null while it has not. */
export function endOf({ status }: JobObject) {
  const isTrue = (types: readonly string[]) =>
    status?.conditions?.find((one) => one.status === 'True' && types.includes(one.type))
  const failed = isTrue(['Failed', 'FailureTarget'])
  if (failed) return { isFailed: true, reason: failed.reason ?? '', message: failed.message ?? '' } as const
  return isTrue(['Complete', 'SuccessCriteriaMet']) ? ({ isFailed: false } as const) : null
}

/** The part of a Job that the operator keeps in memory. */
export const strippedJob = ({ metadata, spec, status }: JobObject): JobObject => {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, labels } = metadata
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      ...(labels && { labels }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: { suspend: spec?.suspend === true },
    ...(status && { status }),
  }
}

interface OneRunner extends Pick<RunnerPods, 'slots' | 'lifetimeSeconds'> {
  /** The isolated check that it is for. Null: any other. */
  readonly checkNo: number | null
}

/**
 * Returns the Job of one runner, suspended: its Secret does not exist yet. It belongs to the PodTemplate, so that it
 * goes with it at an uninstall. A pod is never started again: the queue decides whether another one is needed.
 */
export function runnerJob(name: string, from: PodTemplate, { slots, lifetimeSeconds, checkNo }: OneRunner): object {
  const { template, metadata } = from
  const labels = {
    ...template?.metadata?.labels,
    [RUNNERS]: metadata.name,
    ...(checkNo !== null && { [ISOLATED]: String(checkNo) }),
  }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels, ownerReferences: [ownerReference(from, 'v1', 'PodTemplate')] },
    spec: {
      suspend: true,
      parallelism: 1,
      completions: 1,
      backoffLimit: 0,
      activeDeadlineSeconds: lifetimeSeconds + BEYOND_TOKEN_SECONDS,
      ttlSecondsAfterFinished: TTL_SECONDS,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [
          {
            action: 'FailJob',
            onExitCodes: { containerName: RUNNER_CONTAINER, operator: 'In', values: [TOKEN_REFUSED] },
          },
          // A drained node or a preemption: the same token works in another pod.
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      template: {
        metadata: { ...template?.metadata, labels },
        spec: podSpec(name, from, checkNo === null ? slots : 1),
      },
    },
  }
}

function podSpec(name: string, { template }: PodTemplate, slots: number) {
  const { spec } = template ?? {}
  const own = [
    { name: 'TIDEMARK_BROWSER_PAGES', value: String(slots) },
    { name: 'TIDEMARK_RUNNER_TOKEN_FILE', value: `${TOKEN_FOLDER}/${TOKEN_KEY}` },
  ]
  const isOwn = (variable: { readonly name: string }) => own.some((one) => one.name === variable.name)
  return {
    ...spec,
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    // A Service whose name begins with "tidemark" would make variables that look like settings.
    enableServiceLinks: false,
    containers: (spec?.containers ?? []).map((container) =>
      container.name !== RUNNER_CONTAINER
        ? container
        : {
            ...container,
            env: [...(container.env ?? []).filter((variable) => !isOwn(variable)), ...own],
            volumeMounts: [
              ...(container.volumeMounts ?? []),
              { name: 'runner-token', mountPath: TOKEN_FOLDER, readOnly: true },
            ],
          },
    ),
    volumes: [...(spec?.volumes ?? []), { name: 'runner-token', secret: { secretName: name, defaultMode: 0o440 } }],
  }
}

/** Selects the pods of a Job. The Job's controller labels them. */
export const podsOf = (job: string): string => `batch.kubernetes.io/job-name=${job}`

/** Returns the pod that the Job will have. */
export const podOfJob = (job: object): object => {
  const { template } = (job as { spec: { template: { metadata: object } } }).spec
  const { name } = (job as { metadata: { name: string } }).metadata
  return { apiVersion: 'v1', kind: 'Pod', ...template, metadata: { ...template.metadata, name } }
}

/** Returns the Secret with the token. It belongs to the Job, so that it goes with it. */
export const tokenSecret = (job: KubeObject, token: string): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: {
    name: job.metadata.name,
    labels: job.metadata.labels,
    ownerReferences: [ownerReference(job, 'batch/v1', 'Job')],
  },
  stringData: { [TOKEN_KEY]: token },
})

const ownerReference = ({ metadata: { name, uid } }: KubeObject, apiVersion: string, kind: string) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
})
