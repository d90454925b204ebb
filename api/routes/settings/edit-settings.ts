import type { AuditAction } from '../../../schema/account/audit.ts'
import { TeamSettings, TeamSettingsPatch } from '../../../schema/account/team-settings.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { changeTeamSettings } from '../../../store/accounts/team-settings.ts'
import { ok, route } from '../../http/route.ts'

/** Every change is recorded, each setting as an action of its own. */
const ACTIONS = {
  proxy_enabled: 'settings.proxy_toggled',
  error_notifications: 'settings.error_notifications_toggled',
} as const satisfies Record<keyof TeamSettings, AuditAction>

export const editSettingsRoute = route({
  method: 'PATCH',
  path: '/v1/settings',
  summary: "Change the team's settings",
  description: 'Keys that are absent stay as they are.',
  tag: 'Settings',
  policy: 'settings.manage',
  body: TeamSettingsPatch,
  bodyOptional: true,
  answers: { 200: { description: 'The settings.', schema: TeamSettings } },
  async handle({ body, principal: { teamId }, actor, services: { store } }) {
    const settings = await store.transaction(async (tx) => {
      const outcome = await changeTeamSettings(tx, teamId, body)
      for (const key of outcome.changed) {
        const metadata = { [key]: outcome.settings[key] }
        await recordAudit(tx, { teamId, actor, action: ACTIONS[key], target: { id: teamId, label: null }, metadata })
      }
      return outcome.settings
    })
    return ok(settings)
  },
})
