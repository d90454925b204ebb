import { TeamSettings } from '../../../schema/settings.ts'
import { readTeamSettings } from '../../../store/team-settings.ts'
import { ok, route } from '../../route.ts'

export const getSettingsRoute = route({
  method: 'GET',
  path: '/v1/settings',
  summary: "Read the team's settings",
  tag: 'Settings',
  policy: 'settings.read',
  answers: { 200: { description: 'The settings.', schema: TeamSettings } },
  handle: async ({ principal, services: { store } }) => ok(await readTeamSettings(store, principal.teamId)),
})
