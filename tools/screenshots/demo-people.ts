import { request } from 'undici'
import type { Database } from '../../bench/support/database.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'

const PEOPLE = [
  ['Charles Babbage', 'charles@example.com', 'admin', 160],
  ['Mary Somerville', 'mary@example.com', 'member', 92],
  ['Grace Hopper', 'grace@example.com', 'member', 40],
  ['Augustus De Morgan', 'augustus@example.com', 'viewer', 9],
] as const

const KEYS = [
  { name: 'Grafana', scopes: ['read'], days: 9 },
  { name: 'Deploy of the shop', scopes: ['read', 'write'], days: 80 },
  { name: 'Weekly report', scopes: ['read'], days: null },
] as const

const DAY_MS = 86_400_000

/** Returns what asks the API as the owner. */
export const asker =
  (base: string, owner: CreatedOwner) =>
  async (method: 'GET' | 'POST', path: string, sent?: object): Promise<Readonly<Record<string, unknown>>> => {
    const headers = {
      authorization: `Bearer ${owner.session_token}`,
      ...(sent && { 'content-type': 'application/json' }),
    }
    const { body } = await request(base + path, { method, headers, ...(sent && { body: JSON.stringify(sent) }) })
    return (await body.json()) as Readonly<Record<string, unknown>>
  }

/** Gives the demo team more people, invitations and keys. */
export async function addDemoPeople(base: string, owner: CreatedOwner, { client }: Database): Promise<void> {
  const post = async (path: string, sent: object) => {
    const headers = { authorization: `Bearer ${owner.session_token}`, 'content-type': 'application/json' }
    const { statusCode, body } = await request(base + path, { method: 'POST', headers, body: JSON.stringify(sent) })
    if (statusCode !== 201) throw new Error(`${path}: ${await body.text()}`)
    await body.dump()
  }
  for (const [name, email, role, days] of PEOPLE)
    await client.query(
      `with made as (insert into auth.users (name, email, email_verified) values ($1, $2, true) returning id)
      insert into team_members (team_id, user_id, role, joined_at)
      select $3, id, $4, now() - make_interval(days => $5) from made`,
      [name, email, owner.team_id, role, days],
    )
  for (const email of ['hedy@example.com', 'emmy@example.com'])
    await post('/v1/team/members/invite', { email, role: 'member' })
  for (const { name, scopes, days } of KEYS) {
    const end = days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString()
    await post('/v1/keys', { name, scopes, expires_at: end })
  }
  await client.query(
    `update api_keys set last_used_at = now() - interval '4 minutes' where name = 'Deploy of the shop'`,
  )
}
