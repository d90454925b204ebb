import type { ApplyOutcome } from '../../monitors/declared/declaration.ts'
import { laterKeysText } from '../../monitors/later-keys.ts'
import { overStorageText } from '../../monitors/outcome.ts'
import { FILES, type ResourceIdentity } from '../../store/monitors/monitor-resource.ts'
import type { RefusalReason } from './decide.ts'
import { inWords } from './issues-in-words.ts'

/** What an application of a resource was refused with. */
type Refused = Exclude<ApplyOutcome, { kind: 'applied' }>

/** Returns why a run that the annotation asked for did not begin; null when it did. */
export function refusedRun(
  outcome: NonNullable<Extract<ApplyOutcome, { kind: 'applied' }>['requested']>,
): string | null {
  switch (outcome.kind) {
    case 'done':
      return null
    case 'locked':
      return 'The run that was asked for did not begin: the plan does not allow this monitor to run.'
    case 'used_up': {
      const { resets_at: at } = outcome.quota
      const when = at === null ? 'Only credits or another plan bring new ones' : `There are new ones at ${at}`
      return `The run that was asked for did not begin: the team has used its runs. ${when}; then ask with a new value.`
    }
    case 'not_found':
      return 'The run that was asked for did not begin: the monitor is gone.'
  }
}

/** Returns reason and message of the condition Ready of a resource that was refused. */
export function refusalOf(
  outcome: Refused,
  adopts: string | null,
  clusterId: string,
): { reason: RefusalReason; message: string } {
  switch (outcome.kind) {
    case 'invalid':
      return { reason: 'Invalid', message: inWords(outcome.issues) }
    case 'over_cap':
      return {
        reason: 'PlanLimit',
        message: `The plan ${outcome.tier} allows ${outcome.cap} deliveries a monitor; this one has ${outcome.wanted}.`,
      }
    case 'over_storage':
      return { reason: 'PlanLimit', message: overStorageText(outcome) }
    case 'later_keys':
      return { reason: 'LaterVersion', message: laterKeysText(outcome, 'operator') }
    case 'not_adoptable':
      return {
        reason: 'NotAdoptable',
        message: outcome.by
          ? `The monitor ${adopts} is declared by ${declarerOf(outcome.by, clusterId)}`
          : `The team of this namespace has no monitor ${adopts}, which the annotation tidemark.dev/adopt names.`,
      }
    case 'identity_taken':
      return { reason: 'NotAdoptable', message: `The team has the monitor ${outcome.id} of this namespace and name.` }
    case 'declares_another':
      return {
        reason: 'NotAdoptable',
        message:
          `This resource declares the monitor ${outcome.id} already, and cannot take over ${adopts} too. Remove the ` +
          'annotation tidemark.dev/adopt; or delete this resource, which deletes its monitor, and apply it again.',
      }
    case 'other_team':
      return {
        reason: 'OtherTeam',
        message:
          'The monitor belongs to the team that this namespace had before. Delete this resource and apply it again, ' +
          'or give the namespace its old label back.',
      }
  }
}

/** Returns who declares a monitor, and what frees it. */
function declarerOf(by: ResourceIdentity, clusterId: string): string {
  const resource = `the resource ${by.namespace}/${by.name}`
  if (by.clusterId === clusterId) return `${resource} already.`
  if (by.clusterId === FILES)
    return `the manifest ${by.namespace}/${by.name} in the folder of \`tidemark serve --config\`. Remove it first.`
  return (
    `${resource} of another cluster, ${by.clusterId}. If that cluster is gone, start the operator with ` +
    `--cluster-id ${by.clusterId}, or give its monitors back: tidemark admin release-cluster --cluster ${by.clusterId}`
  )
}
