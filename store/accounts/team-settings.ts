import { sql } from 'slonik'
import { TeamSettings, type TeamSettingsPatch } from '../../schema/account/team-settings.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, rowOf } from '../db/row.ts'

const settings = rowOf(TeamSettings)

/** The team's settings. */
export async function readTeamSettings(store: Queryable, teamId: string): Promise<TeamSettings> {
  return store.one(sql.type(settings)`
    select proxy_enabled, error_notifications from teams where id = ${teamId}::uuid
  `)
}

/** What a change of settings came to. */
interface ChangedSettings {
  readonly settings: TeamSettings
  /** The keys whose value is another one now. */
  readonly changed: readonly (keyof TeamSettings)[]
}

/** Stores what the patch holds. Two changes at once happen one after the other, so that each knows what it changed. */
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
