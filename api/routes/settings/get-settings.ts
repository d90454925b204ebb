import { TeamSettings } from '../../../schema/account/team-settings.ts'
import { readTeamSettings } from '../../../store/accounts/team-settings.ts'
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
