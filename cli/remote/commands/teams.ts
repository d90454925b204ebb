import { printable } from '../../../core/printable.ts'
import type { TeamListItem } from '../../../schema/account/team.ts'
import { formOf, printItems, printResult } from '../../output.ts'
import { connect } from '../connect.ts'
import type { RemoteClient } from '../remote-client.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'

async function teamsOf(client: RemoteClient): Promise<readonly TeamListItem[]> {
  const request = { method: 'GET', path: '/v1/team/list' } as const
  try {
    return (await client.json<{ readonly data: readonly TeamListItem[] }>(request)).data
  } catch (error) {
    if (!(error instanceof RemoteError) || error.status !== 403) throw error
    const advice = '; an API key acts for one team: sign in with "./tidemark login --email <address>"'
    throw new RemoteError(error.message, 'refused', error.status, { advice })
  }
}

/** Lists the teams of the person who signed in. */
export const teams: Handler = async ({ io, options }) => {
  await printItems(io, formOf(options), {
    items: await teamsOf(connect(io, options)),
    columns: [
      { head: 'NAME', cell: ({ name }) => name },
      { head: 'ACTIVE', cell: ({ active }) => (active ? 'yes' : '') },
      { head: 'ROLE', cell: ({ role }) => role },
      { head: 'ID', cell: ({ id }) => id, isWide: true },
      { head: 'OWNER', cell: ({ owner_email: owner }) => owner },
    ],
    name: ({ id }) => id,
    data: (team) => team,
    none: 'There is no team.',
  })
}

/** Makes another team the one that the session acts for. */
export const switchTeam: Handler = async ({ io, words: [asked = ''], options }) => {
  const client = connect(io, options)
  const known = await teamsOf(client)
  const found = known.filter(({ id, name }) => id === asked.toLowerCase() || name === asked)
  const [team] = found
  if (!team) {
    const names = known.map(({ name }) => `"${printable(name)}"`).join(', ')
    throw new RemoteError(`you are in no team "${printable(asked)}"; yours are ${names}`)
  }
  if (found.length > 1) {
    const ids = found.map(({ id, owner_email: owner }) => `${id} (of ${printable(owner)})`).join(', ')
    throw new RemoteError(`several of your teams are called "${printable(asked)}"; name one by its id: ${ids}`)
  }
  const { id, name, role } = team
  await client.json({ method: 'POST', path: '/v1/team/switch', body: { team_id: id } })
  const text = `This login acts for the team ${printable(name)} now, as ${role}.\n`
  await printResult(io, options, { data: { team_id: id, name, role }, names: [id], text })
}
