import { editTeamSettings } from '../../../accounts/team-settings.ts'
import { TeamSettings, TeamSettingsPatch } from '../../../schema/account/team-settings.ts'
import { readTeamSettings } from '../../../store/accounts/team/team-settings.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'

export const getSettingsRoute = route({
  method: 'GET',
  path: '/v1/settings',
  summary: "Read the team's settings",
  tag: 'Settings',
  policy: 'settings.read',
  answers: { 200: { description: 'The settings.', schema: TeamSettings } },
  handle: async ({ principal, services: { store } }) => ok(await readTeamSettings(store, principal.teamId)),
})

export const editSettingsRoute = route({
  method: 'PATCH',
  path: '/v1/settings',
  summary: "Change the team's settings",
  description: 'Absent keys do not change.',
  tag: 'Settings',
  policy: 'settings.manage',
  body: TeamSettingsPatch,
  bodyOptional: true,
  answers: { 200: { description: 'The settings.', schema: TeamSettings } },
  handle: async ({ body, principal: { teamId, userId }, actor, services }) =>
    ok(doneOf(await editTeamSettings(services, { teamId, userId, actor, patch: body })).settings),
})
