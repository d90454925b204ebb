import type { AuditAction } from '../schema/account/audit.ts'
import type { TeamSettings, TeamSettingsPatch } from '../schema/account/team-settings.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { changeTeamSettings } from '../store/accounts/team/team-settings.ts'
import type { AccountContext } from './context.ts'
import { beginTeamAct, type NotAllowed, type UserRequester } from './team-act.ts'

/** The audit actions. Each setting has its own action, and every change is recorded. */
const ACTIONS = {
  proxy_enabled: 'settings.proxy_toggled',
  error_notifications: 'settings.error_notifications_toggled',
} as const satisfies Record<keyof TeamSettings, AuditAction>

/** Changes the settings in the patch, and returns all settings. A value that stays the same writes no audit entry. */
export async function editTeamSettings(
  { store }: AccountContext,
  { patch, ...requester }: UserRequester & { readonly patch: TeamSettingsPatch },
): Promise<{ readonly kind: 'done'; readonly settings: TeamSettings } | NotAllowed> {
  const { teamId, actor } = requester
  return store.transaction(async (tx) => {
    const refused = await beginTeamAct(tx, requester, 'settings')
    if (refused) return refused
    const { settings, changed } = await changeTeamSettings(tx, teamId, patch)
    for (const key of changed) {
      const metadata = { [key]: settings[key] }
      await recordAudit(tx, { teamId, actor, action: ACTIONS[key], target: { id: teamId, label: null }, metadata })
    }
    return { kind: 'done', settings } as const
  })
}
