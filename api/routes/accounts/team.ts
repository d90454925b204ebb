import Type from 'typebox'
import { changeRole, removeMember } from '../../../accounts/members.ts'
import { renameTeam, switchTeam } from '../../../accounts/teams.ts'
import { Invitation } from '../../../schema/account/invitation.ts'
import { Member, MemberRole, Team, TeamListItem, TeamRename, TeamSwitch } from '../../../schema/account/team.ts'
import { Closed, Uuid } from '../../../schema/shape/shape.ts'
import { listInvitations } from '../../../store/accounts/team/invitations.ts'
import { listMembers, listTeamsOf, readTeam, type TeamRow } from '../../../store/accounts/team/team-members.ts'
import type { Queryable } from '../../../store/db/client.ts'
import { type Principal, sessionOf } from '../../auth/principals.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, type Route, route } from '../../http/route.ts'

const tag = 'Team'
const ByUserId = Closed({ userId: Uuid() })

/** Returns the team as its caller sees it. */
export const shownTeam = (team: TeamRow, principal: Principal): Team => {
  const { id, name, owner_user_id, owner_email, ...rest } = team
  return { id, name, owner_user_id, owner_email, role: principal.kind === 'key' ? 'api_key' : principal.role, ...rest }
}

/** Returns the teams of the person, the own one first, and which of them the session acts for. */
export async function shownTeams(store: Queryable, { userId, teamId }: Principal): Promise<TeamListItem[]> {
  const teams = await listTeamsOf(store, userId)
  return teams.map((team) => ({ ...team, active: team.id === teamId }))
}

const getTeamRoute = route({
  method: 'GET',
  path: '/v1/team',
  summary: 'Read the team',
  tag,
  policy: 'team.read',
  answers: { 200: { description: 'The team that the request acts for.', schema: Team } },
  handle: async ({ principal, services: { store } }) =>
    ok(shownTeam(await readTeam(store, principal.teamId), principal)),
})

const renameTeamRoute = route({
  method: 'PATCH',
  path: '/v1/team',
  summary: 'Rename the team',
  tag,
  policy: 'team.rename',
  body: TeamRename,
  answers: { 200: { description: 'The team.', schema: Team } },
  async handle({ body, principal, actor, services }) {
    const { teamId, userId } = principal
    const { team } = doneOf(await renameTeam(services, { teamId, userId, actor, name: body.name.trim() }))
    return ok(shownTeam(team, principal))
  },
})

const listTeamsRoute = route({
  method: 'GET',
  path: '/v1/team/list',
  summary: "List the signed-in user's teams",
  tag,
  policy: 'teams.choose',
  answers: {
    200: { description: 'All teams, the own one first.', schema: Closed({ data: Type.Array(TeamListItem) }) },
  },
  handle: async ({ principal, services: { store } }) => ok({ data: await shownTeams(store, principal) }),
})

const switchTeamRoute = route({
  method: 'POST',
  path: '/v1/team/switch',
  summary: 'Make a team the active one',
  description: 'This session acts for the team from the next request on. Other sessions do not change.',
  tag,
  policy: 'teams.choose',
  body: TeamSwitch,
  answers: { 200: { description: 'The team is active.', schema: TeamSwitch } },
  refusals: ['NOT_FOUND'],
  async handle({ body: { team_id }, principal, services }) {
    const teamId = team_id.toLowerCase()
    const { sessionId, userId } = sessionOf(principal)
    doneOf(await switchTeam(services, { sessionId, userId, teamId }))
    return ok({ team_id: teamId })
  },
})

const listMembersRoute = route({
  method: 'GET',
  path: '/v1/team/members',
  summary: 'List the members and the open invitations',
  tag,
  policy: 'members.read',
  answers: {
    200: {
      description: 'The members, the owner first, and the invitations that are open.',
      schema: Closed({ members: Type.Array(Member), invitations: Type.Array(Invitation) }),
    },
  },
  handle: async ({ principal: { teamId }, services: { store } }) =>
    ok({ members: await listMembers(store, teamId), invitations: await listInvitations(store, teamId) }),
})

const changeRoleRoute = route({
  method: 'PATCH',
  path: '/v1/team/members/:userId',
  summary: "Change a member's role",
  description: "The owner's role and your own role cannot be changed.",
  tag,
  policy: 'members.manage',
  params: ByUserId,
  body: MemberRole,
  answers: { 200: { description: 'The member.', schema: Member } },
  async handle({ params: { userId: memberId }, body: { role }, principal: { teamId, userId }, actor, services }) {
    const { member } = doneOf(await changeRole(services, { teamId, userId, actor, memberId, role }))
    return ok(member)
  },
})

const removeMemberRoute = route({
  method: 'DELETE',
  path: '/v1/team/members/:userId',
  summary: 'Remove a member, or leave the team',
  description:
    'With your own id you leave the team, whatever your role. Others are removed by admins and the owner. The owner ' +
    "can neither leave nor be removed. API keys that a member made go on working: they are the team's.",
  tag,
  policy: 'members.leave',
  params: ByUserId,
  answers: {
    200: {
      description: 'The member is gone.',
      schema: Closed({ left: Type.Boolean({ description: 'You left; false: the member was removed.' }) }),
    },
  },
  async handle({ params: { userId: memberId }, principal: { teamId, userId }, actor, services }) {
    const { left } = doneOf(await removeMember(services, { teamId, userId, actor, memberId }))
    return ok({ left })
  },
})

export const teamRoutes: readonly Route[] = [
  getTeamRoute,
  renameTeamRoute,
  listTeamsRoute,
  switchTeamRoute,
  listMembersRoute,
  changeRoleRoute,
  removeMemberRoute,
]
