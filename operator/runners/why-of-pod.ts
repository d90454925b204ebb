import type { KubeObject } from '../cluster/kube-object.ts'
import { RUNNER_CONTAINER, TOKEN_REFUSED } from './runner-job.ts'

/** A pod of a runner's Job, as far as it shows why it ended or why it does not run. Its texts are untrusted. */
export interface RunnerPod extends KubeObject {
  readonly status?: {
    readonly reason?: string
    readonly message?: string
    readonly conditions?: readonly (Said & { readonly type: string; readonly status: string })[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}

interface Said {
  readonly reason?: string
  readonly message?: string
}

interface ContainerStatus {
  readonly name: string
  readonly state?: {
    readonly waiting?: Said
    readonly terminated?: Terminated
  }
}

interface Terminated extends Said {
  readonly exitCode: number
}

/** Why a pod ended or does not run, as the end of a sentence about it, and what a person can do. */
interface WhyOfPod {
  readonly why: string
  readonly next: string
}

/** Of an Event's 1,024 bytes, and of a condition that is read in a table. */
const MAX_MESSAGE = 300
/** A container that has not been started yet is in one of these. */
const STARTING = ['PodInitializing', 'ContainerCreating']

/** Returns why a pod has ended. Null: it does not say. */
export function whyEnded({ metadata, status = {} }: RunnerPod): WhyOfPod | null {
  if (status.reason === 'Evicted')
    return {
      why: `was evicted: ${cut(status.message?.trim() ?? '')}`,
      next:
        'Raise the limits of runner.resources and runner.browserResources, or lower runner.slots. A node that is low ' +
        'on a resource needs more of it, or fewer pods.',
    }
  const runner = status.containerStatuses?.find(({ name }) => name === RUNNER_CONTAINER)
  const ended = runner?.state?.terminated
  if (ended && ended.exitCode !== 0) return ofContainer(ended, metadata)
  return status.reason ? { why: `ended: ${said(status)}`, next: 'See whether its node works.' } : null
}

function ofContainer({ reason, exitCode, message = '' }: Terminated, { namespace, name }: RunnerPod['metadata']) {
  if (reason === 'OOMKilled')
    return {
      why: 'ran out of memory (OOMKilled)',
      next: 'Raise runner.resources.limits.memory, or lower runner.slots.',
    }
  if (exitCode === TOKEN_REFUSED)
    return {
      why: `ended because its token was refused (exit code ${exitCode})`,
      next: 'If it happens again, see that the workers and the operator have the same database.',
    }
  const last = lastWords(message)
  return {
    why: `ended with exit code ${exitCode}${last === '' ? '' : `: ${cut(last)}`}`,
    next: `For two minutes, kubectl -n ${namespace} logs ${name} -c ${RUNNER_CONTAINER} shows more.`,
  }
}

/** Returns the last line of a log. After an error that nobody caught, that is the error, and not what follows it. */
function lastWords(log: string): string {
  const lines = log.trim().split('\n')
  const last = lines.at(-1) ?? ''
  return last.startsWith('Node.js v') ? (lines.findLast((line) => /^\w*Error\b/.test(line)) ?? last) : last
}

/** Returns why a pod does not run. Null: it does not say. */
export function whyWaiting({ status = {} }: RunnerPod): WhyOfPod | null {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
  for (const { name, state } of all) {
    const waiting = state?.waiting
    if (waiting?.reason === undefined || STARTING.includes(waiting.reason)) continue
    return {
      why: `its container ${name} does not start: ${said(waiting)}`,
      next: /image/i.test(waiting.reason)
        ? 'See that nodes can fetch runner.image, with imagePullSecrets where it needs them.'
        : 'See runner.seccompProfile and the other values of runner.',
    }
  }
  const unscheduled = status.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False')
  if (!unscheduled) return null
  return {
    why: `no node takes it: ${said(unscheduled)}`,
    next: 'Give the nodes more room, or lower the requests of runner.resources and runner.browserResources.',
  }
}

function said({ reason = '', message = '' }: Said): string {
  return [reason, cut(message.trim())].filter((text) => text !== '').join(': ')
}

const cut = (text: string): string => (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text)
