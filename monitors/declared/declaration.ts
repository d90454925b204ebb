import type { Invalid } from '../../core/outcome.ts'
import type { Requester } from '../../schema/account/audit.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import type { AppliedState, ResourceIdentity } from '../../store/monitors/monitor-resource.ts'
import type { LaterKeys } from '../later-keys.ts'
import type { OverCap, OverStorage } from '../outcome.ts'
import type { RunOutcome } from '../run-monitor.ts'
import type { IdentityTaken } from './identity-taken.ts'

/** A custom resource and what it declares. */
export interface Declaration extends Requester {
  readonly resource: ResourceIdentity
  readonly state: AppliedState
  /** The account that a new monitor is recorded under: the owner of the team. */
  readonly userId: string
  /** Checked by its kind, with the values of its Secrets. */
  readonly spec: EverySpec
  readonly suspend: boolean
  /** The monitor of the API that the resource takes over, where it declares none yet. */
  readonly adopts: string | null
}

/** The record declares what the resource says. */
interface Applied {
  readonly kind: 'applied'
  readonly change: 'created' | 'adopted' | 'updated' | 'unchanged'
  readonly monitor: EveryRow
  /** The result of asking for the run that the resource wants. Null: it asks for none, or it was asked for before. */
  readonly requested: RunOutcome | null
}

/** The record that the resource is to take over is unknown to its team, or declared by another resource. */
export interface NotAdoptable {
  readonly kind: 'not_adoptable'
  /** The resource that declares it. Null: the team has no such record. */
  readonly by: ResourceIdentity | null
}

/** The resource is to take over a record, and declares another one already. */
export interface DeclaresAnother {
  readonly kind: 'declares_another'
  readonly id: string
}

/** The resource declares a record of another team: its namespace belonged to that team before. */
export interface OtherTeam {
  readonly kind: 'other_team'
}

export type ApplyOutcome =
  | Applied
  | IdentityTaken
  | Invalid
  | OverCap
  | OverStorage
  | LaterKeys
  | NotAdoptable
  | DeclaresAnother
  | OtherTeam

/** Where the audit log says that an action comes from. */
export const origin = ({ clusterId, namespace, name }: ResourceIdentity) => ({
  resource: `${namespace}/${name}`,
  cluster: clusterId,
})
