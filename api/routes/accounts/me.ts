import manifest from '../../../package.json' with { type: 'json' }
import { Me } from '../../../schema/account/me.ts'
import { personOf } from '../../../store/accounts/accounts.ts'
import { readTeam } from '../../../store/accounts/team/team-members.ts'
import { permits, POLICIES, type PolicyName } from '../../auth/policies.ts'
import type { Principal } from '../../auth/principals.ts'
import { ok, route } from '../../http/route.ts'
import type { Services } from '../../services.ts'
import { shownTeam, shownTeams } from './team.ts'

export const meRoute = route({
  method: 'GET',
  path: '/v1/me',
  summary: 'Read who you are, and what this installation has',
  tag: 'Team',
  policy: 'team.read',
  beyond: true,
  answers: {
    200: { description: 'The caller, the team, what is allowed, and what the installation has.', schema: Me },
  },
  handle: async ({ principal, services }) => ok(await shownMe(principal, services)),
})

async function shownMe(principal: Principal, services: Services): Promise<Me> {
  const { store, mail, signIn, signUp, previews } = services
  const { teamId, userId } = principal
  const isKey = principal.kind === 'key'
  return {
    user: isKey ? null : { id: userId, email: principal.email, ...(await personOf(store, userId)) },
    api_key: isKey ? { id: principal.keyId, name: principal.name, scopes: [...principal.scopes] } : null,
    team: shownTeam(await readTeam(store, teamId), principal),
    teams: isKey ? [] : await shownTeams(store, principal),
    permissions: Object.keys(POLICIES).filter((name) => permits(name as PolicyName, principal)),
    installation: {
      version: manifest.version,
      mail: mail.hasServer,
      sign_in: signIn.handleOidc ? ['password', 'oidc'] : ['password'],
      sign_up: signUp,
      browser: previews?.has.browser ?? false,
      model: previews?.has.model ?? false,
    },
  }
}
