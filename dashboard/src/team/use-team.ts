import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { InvitationSent, TeamMembers, TeamSettings } from '../api/types.ts'

export type Member = TeamMembers['members'][number]
export type Invitation = TeamMembers['invitations'][number]
export type Role = Member['role']
export type GivenRole = Invitation['role']

const MEMBERS = ['members']
const SETTINGS = ['team-settings']

/** Reads the members of the team, the owner first, and its open invitations. */
export const useMembers = (isAllowed: boolean) =>
  useQuery({
    queryKey: MEMBERS,
    queryFn: ({ signal }) => ask<TeamMembers>('/v1/team/members', { signal }),
    enabled: isAllowed,
  })

export const useSettings = () =>
  useQuery({ queryKey: SETTINGS, queryFn: ({ signal }) => ask<TeamSettings>('/v1/settings', { signal }) })

/** Asks for something about the team, and reads again what it may have changed, whatever the answer. */
function useTeamAct<Wanted, Done>(act: (wanted: Wanted) => Promise<Done>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSettled: () =>
      Promise.all([MEMBERS, SETTINGS, ['me']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
}

interface InvitationWanted {
  readonly email: string
  readonly role: GivenRole
}

export const useInvite = () =>
  useTeamAct((body: InvitationWanted) => ask<InvitationSent>('/v1/team/members/invite', { method: 'POST', body }))

export const useResend = () =>
  useTeamAct((id: string) => ask<InvitationSent>(`/v1/team/invitations/${id}/resend`, { method: 'POST' }))

export const useWithdraw = () => useTeamAct((id: string) => ask(`/v1/team/invitations/${id}`, { method: 'DELETE' }))

interface RoleWanted {
  readonly userId: string
  readonly role: GivenRole
}

export const useChangeRole = () =>
  useTeamAct(({ userId, role }: RoleWanted) =>
    ask<Member>(`/v1/team/members/${userId}`, { method: 'PATCH', body: { role } }),
  )

/** Removes a member; with the person's own id, they leave. */
export const useRemove = () => useTeamAct((userId: string) => ask(`/v1/team/members/${userId}`, { method: 'DELETE' }))

export const useRename = () => useTeamAct((name: string) => ask('/v1/team', { method: 'PATCH', body: { name } }))

export const useEditSettings = () =>
  useTeamAct((body: Partial<TeamSettings>) => ask<TeamSettings>('/v1/settings', { method: 'PATCH', body }))
