import Type, { type Static } from 'typebox'
import { Choice, Closed, Instant, Nullable, RuledText, Text, Uuid } from '../shape/shape.ts'
import { TIERS } from './plan.ts'
import { GIVEN_ROLES, ROLES } from './role.ts'

const Count = (minimum: number, description?: string) => Type.Integer({ minimum, ...(description && { description }) })

/** The team that a request acts for. */
export const Team = Closed({
  id: Uuid(),
  name: Text(1, 80),
  owner_user_id: Uuid(),
  owner_email: Text(1, 254),
  role: Choice([...ROLES, 'api_key'], { description: 'The role of the caller.' }),
  tier: Choice(TIERS, { description: "The owner's plan, which applies to everyone in the team." }),
  member_count: Count(1),
  pending_invites: Count(0),
  max_members: Nullable(Type.Integer({ minimum: 1 }), { description: 'Beyond the contract: null means no limit.' }),
  created_at: Instant(),
})
export type Team = Static<typeof Team>

/** Body of `PATCH /v1/team`. White space around the name is removed. */
export const TeamRename = Closed({ name: RuledText(200, ['team_name'], 'Without white space around it, 1 to 80.') })

/** A team as the list of a person's teams shows it. */
export const TeamListItem = Closed({
  id: Uuid(),
  name: Text(1, 80),
  role: Choice(ROLES),
  owner_email: Text(1, 254),
  is_personal: Type.Boolean({ description: 'The team that the user owns.' }),
  active: Type.Boolean({ description: 'The team that this session acts for.' }),
})
export type TeamListItem = Static<typeof TeamListItem>

/** Body and response of `POST /v1/team/switch`. */
export const TeamSwitch = Closed({ team_id: Uuid() })

export const Member = Closed({
  user_id: Uuid(),
  email: Text(1, 254),
  name: Text(1, 200),
  role: Choice(ROLES),
  joined_at: Instant(),
})
export type Member = Static<typeof Member>

/** Body of `PATCH /v1/team/members/{userId}`. */
export const MemberRole = Closed({ role: Choice(GIVEN_ROLES) })
