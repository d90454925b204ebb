import type { Logger } from '../../core/logger.ts'
import type { EventRecorder } from '../cluster/event-recorder.ts'
import { type KubeClient, KubeError } from '../cluster/kube-client.ts'
import { type JobObject, type PodTemplate, podsOf } from './runner-job.ts'
import { type RunnerPod, whyEnded, whyWaiting } from './why-of-pod.ts'

interface ReportPorts {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly log: Logger
}

/** A Job has one pod, and another one for each that a drained node lost. */
const MAX_PODS = 50

/** Returns what tells people why a runner pod failed or did not start. Its Job says only that it did. */
export function createRunnerReports({ client, events, log }: ReportPorts) {
  /** Returns the newest pod of a Job. Null: there is none, or the API server does not show it. */
  async function podOf(job: string): Promise<RunnerPod | null> {
    const query = new URLSearchParams({ labelSelector: podsOf(job), limit: String(MAX_PODS) })
    try {
      const path = `/api/v1/namespaces/${client.namespace}/pods?${query.toString()}`
      const answer = await client.call<{ readonly items?: readonly RunnerPod[] }>({ method: 'GET', path })
      if (answer.status !== 200) throw new KubeError(`the pods of the Job ${job}`, answer)
      const made = ({ metadata }: RunnerPod) => metadata.creationTimestamp ?? ''
      return (answer.body.items ?? []).toSorted((a, b) => made(b).localeCompare(made(a)))[0] ?? null
    } catch (err) {
      log.warn({ err, job }, 'the pod of a runner could not be read, so what is said of its Job is short')
      return null
    }
  }

  return {
    podOf,
    /** Writes an Event about a Job that failed. Resolves with why it did, and what to do; it never rejects. */
    async failed(job: JobObject, { reason, message }: { readonly reason: string; readonly message: string }) {
      const { name } = job.metadata
      const pod = await podOf(name)
      const found = pod && whyEnded(pod)
      log.warn({ job: name, pod: pod?.metadata.name, reason, message, why: found?.why }, 'a runner pod failed')
      const why = found ? `Its pod ${pod?.metadata.name} ${sentence(found.why)}` : message
      const next = found?.next ?? `kubectl -n ${client.namespace} describe job ${name} shows more.`
      const note = [`The runner failed (${reason}).`, why, 'Another one does its checks.', next].join(' ')
      events.record(job, { type: 'Warning', reason: 'RunnerFailed', action: 'RunChecks', note })
      return `${why} ${next}`
    },
    /** Writes an Event about a Job whose pod did not start. Returns why it did not, and what to do. */
    notStarted(job: JobObject, pod: RunnerPod | null, seconds: number): string {
      const found = pod && whyWaiting(pod)
      const limit = `did not start within ${seconds} s`
      const said = found
        ? `: ${sentence(found.why)} ${found.next}`
        : `; the events of pods in the namespace ${client.namespace} say why`
      const note = `Its pod ${limit}, and was given up${said}`
      events.record(job, { type: 'Warning', reason: 'RunnerNotStarted', action: 'RunChecks', note })
      return `the pod ${limit}${said}`
    },
    /**
     * Writes an Event that the browsers of a Job do not have their own sandbox. It is about the PodTemplate, which
     * decides that for all its Jobs: the Event of the first one counts the others. It never rejects.
     */
    async unsandboxed(job: string, template: Promise<PodTemplate>): Promise<void> {
      log.warn({ job }, 'the browsers of a runner pod run without their sandbox')
      const note =
        'Browsers run without their own sandbox: the seccomp profile refuses user namespaces. Set ' +
        'runner.seccompProfile to the profile that allows them; docs/runners.md says how.'
      try {
        events.record(await template, { type: 'Warning', reason: 'BrowserUnsandboxed', action: 'RunChecks', note })
      } catch (err) {
        log.warn({ err, job }, 'the PodTemplate of runners could not be read, so no Event is about it')
      }
    },
  }
}

/** Returns a text with a dot at its end, and no more. */
const sentence = (text: string): string => `${text.replace(/[.\s]+$/, '')}.`
