import type { NotFound } from '../core/outcome.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import { activateTeam } from '../store/accounts/credentials/sessions.ts'
import { keepMember, readTeam, setTeamName, type TeamRow } from '../store/accounts/team/team-members.ts'
import type { AccountContext } from './context.ts'
import { beginTeamAct, type NotAllowed, type UserRequester } from './team-act.ts'

/** Gives a team a new name. The name that it has already changes nothing and is not recorded. */
export async function renameTeam(
  { store }: AccountContext,
  { name, ...requester }: UserRequester & { readonly name: string },
): Promise<{ readonly kind: 'done'; readonly team: TeamRow } | NotAllowed> {
  const { teamId, actor } = requester
  return store.transaction(async (tx) => {
    const refused = await beginTeamAct(tx, requester, 'rename')
    if (refused) return refused
    const team = await readTeam(tx, teamId)
    if (team.name === name) return { kind: 'done', team } as const
    await setTeamName(tx, teamId, name)
    const metadata = { previous_name: team.name, name }
    await recordAudit(tx, { teamId, actor, action: 'team.renamed', target: { id: teamId, label: name }, metadata })
    return { kind: 'done', team: { ...team, name } } as const
  })
}

/** Makes a team of the user the one that the session acts for. */
export async function switchTeam(
  { store }: AccountContext,
  { sessionId, userId, teamId }: { readonly sessionId: string; readonly userId: string; readonly teamId: string },
): Promise<{ readonly kind: 'done' } | NotFound> {
  return store.transaction(async (tx) => {
    if (!(await keepMember(tx, teamId, userId))) return { kind: 'not_found', what: 'team' } as const
    await activateTeam(tx, sessionId, teamId)
    return { kind: 'done' } as const
  })
}
