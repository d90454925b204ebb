import { ask } from '../api/client.ts'

/** Makes another team the active one of the session, and loads the page at an address of ours with it. */
export async function switchTeam(id: string, to: string): Promise<void> {
  await ask('/v1/team/switch', { method: 'POST', body: { team_id: id } })
  location.assign(to)
}
