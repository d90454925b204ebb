import { sql } from 'slonik'
import { TeamSettings, type TeamSettingsPatch } from '../../../schema/account/team-settings.ts'
import type { Queryable, Transaction } from '../../db/client.ts'
import { nothing, rowOf } from '../../db/row.ts'

const settings = rowOf(TeamSettings)

/** Returns the team's settings. */
export async function readTeamSettings(store: Queryable, teamId: string): Promise<TeamSettings> {
  return store.one(sql.type(settings)`
    select proxy_enabled, error_notifications from teams where id = ${teamId}::uuid
  `)
}

/** The result of a change of settings. */
interface ChangedSettings {
  readonly settings: TeamSettings
  /** The keys whose value changed. */
  readonly changed: readonly (keyof TeamSettings)[]
}

/**
 * Stores the values of the patch. Two changes at the same time run one after the other, so that each returns exactly
 * its own changes.
 */
export async function changeTeamSettings(
  tx: Transaction,
  teamId: string,
  patch: TeamSettingsPatch,
): Promise<ChangedSettings> {
  const before = await tx.one(sql.type(settings)`
    select proxy_enabled, error_notifications from teams where id = ${teamId}::uuid for update
  `)
  const after = { ...before, ...patch }
  const changed = (['proxy_enabled', 'error_notifications'] as const).filter((key) => before[key] !== after[key])
  if (changed.length > 0)
    await tx.query(sql.type(nothing)`
      update teams set proxy_enabled = ${after.proxy_enabled}, error_notifications = ${after.error_notifications}
      where id = ${teamId}::uuid
    `)
  return { settings: after, changed }
}
