import Type, { type Static } from 'typebox'
import { Choice, Closed, Nullable, Text, Uuid } from '../shape/shape.ts'
import { SCOPES } from './api-key.ts'
import { Team, TeamListItem } from './team.ts'

/** Response of `GET /v1/me`: what a program has to know before it shows anything. */
export const Me = Closed({
  user: Nullable(
    Closed({
      id: Uuid(),
      email: Text(1, 254),
      name: Text(0, 200),
      has_password: Type.Boolean({ description: 'False: the account signs in with a provider only.' }),
    }),
    { description: 'Null for an API key.' },
  ),
  api_key: Nullable(Closed({ id: Uuid(), name: Text(1, 100), scopes: Type.Array(Choice(SCOPES), { maxItems: 2 }) }), {
    description: 'Null for a signed-in user.',
  }),
  team: Team,
  teams: Type.Array(TeamListItem, { description: 'The teams that the session can act for. Empty for an API key.' }),
  permissions: Type.Array(Type.String(), { maxItems: 100, description: 'What the caller may do in the team.' }),
  installation: Closed(
    {
      version: Type.String(),
      mail: Type.Boolean({ description: 'It sends mail.' }),
      sign_in: Type.Array(Choice(['password', 'oidc'])),
      sign_up: Choice(['invite', 'open'], { description: 'Who may create an account.' }),
      browser: Type.Boolean({ description: 'Previews can be rendered: here, or by runners.' }),
      model: Type.Boolean({ description: 'A model answers prompts.' }),
    },
    { description: 'What this installation has.' },
  ),
})
export type Me = Static<typeof Me>
