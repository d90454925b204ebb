import { ask } from '../api/client.ts'

/**
 * Makes another team the active one of the session, and loads the page at a path of ours with it. The path has no
 * fragment: the browser would not load the page again.
 */
export async function switchTeam(id: string, to: string): Promise<void> {
  await ask('/v1/team/switch', { method: 'POST', body: { team_id: id } })
  location.assign(to)
}
