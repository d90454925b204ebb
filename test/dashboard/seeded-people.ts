import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import type { TestApi } from '../support/api/test-api.ts'

/** A name that turns the text behind it, and one that looks like another by a letter of another alphabet. */
export const TURNED = 'Grace \u202Enimda'
export const IMITATED = 'Ad\u0430 Lovelace'

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Adds people to a team, without sessions, by their names. Their addresses count on from 1. */
export async function addPeople(
  api: TestApi,
  { team_id: team }: CreatedOwner,
  names: readonly string[],
  domain = 'example.com',
): Promise<void> {
  const values = names.map((name, nth) => `(${quoted(name)}, 'person${nth + 1}@${domain}', true)`)
  await api.sql(`
    with made as (insert into auth.users (name, email, email_verified) values ${values.join(', ')} returning id, email)
    insert into team_members (team_id, user_id, role)
    select '${team}', id, case when email like 'person1@%' then 'admin' when email like 'person2@%' then 'viewer'
      else 'member' end
    from made`)
}

/** Adds keys that work: `uses` is when a key was used, `ends` when it ends, as intervals from now. */
export async function addKeys(api: TestApi, { team_id: team, user_id: user }: CreatedOwner, count: number) {
  await api.sql(`
    insert into api_keys (team_id, user_id, name, prefix, hash, scopes, last_used_at, expires_at, created_at)
    select '${team}', '${user}', 'Key ' || n, 'svc_' || lpad(n::text, 4, '0'), decode(md5('${team}' || n), 'hex'),
      array['read'], now() - n * interval '1 minute', now() + interval '90 days', now() - n * interval '1 day'
    from generate_series(1, ${count}) n`)
}

/** Adds lines to the audit log, a minute apart, the newest one now. */
export async function addAudit(api: TestApi, { team_id: team, user_id: user, email }: CreatedOwner, count: number) {
  await api.sql(`
    insert into audit_events (team_id, action, target_type, target_id, target_label, actor_type, actor_id, actor_label,
      ip_address, metadata, created_at)
    select '${team}', a.action, a.target_type, gen_random_uuid()::text, a.label, 'user', '${user}', '${email}',
      '192.0.2.' || (n % 250), a.metadata::jsonb, now() - n * interval '1 minute'
    from generate_series(1, ${count}) n
    join (values
      (0, 'monitor.updated', 'monitor', 'Kettle', '{"changed": ["name", "labels"]}'),
      (1, 'monitor.run_triggered', 'monitor', 'Kettle', '{}'),
      (2, 'team.member_role_changed', 'member', 'grace@example.com', '{"previous_role": "viewer", "role": "member"}'),
      (3, 'monitor.paused', 'monitor', '=HYPERLINK("http://evil.example")', '{}')
    ) a(nth, action, target_type, label, metadata) on a.nth = n % 4`)
}

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:152.0) Gecko/20100101 Firefox/152.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
  'tidemark-cli/0.1.0',
]

/** Adds sessions of the account from elsewhere. */
export async function addSessions(api: TestApi, { user_id: user }: CreatedOwner, agents = BROWSERS): Promise<void> {
  const values = agents.map(
    (agent, nth) => `('${user}', '${crypto.randomUUID()}', now() + interval '${6 - (nth % 5)} days', '192.0.2.${nth}',
      ${quoted(agent)}, now() - interval '${1 + nth} hours')`,
  )
  await api.sql(`
    insert into auth.sessions (user_id, token, expires_at, ip_address, user_agent, created_at)
    values ${values.join(', ')}`)
}

/** People, keys and invitations as a team has them. */
export async function seedPeople(api: TestApi, owner: CreatedOwner): Promise<void> {
  const session = owner.session_token
  await addSessions(api, owner)
  await addPeople(api, owner, ['Ada Lovelace', 'Charles Babbage', IMITATED, TURNED, 'Mary Somerville'])
  for (const [email, role] of [
    ['hopper@example.com', 'member'],
    ['lamarr@example.com', 'viewer'],
  ] as const)
    await api.call(session, 'POST', '/v1/team/members/invite', { email, role })
  const day = 86_400_000
  const ends = (days: number) => new Date(Date.now() + days * day).toISOString()
  const ids: string[] = []
  for (const body of [
    { name: 'Reports', scopes: ['read'] },
    { name: 'Deploy of the shop', scopes: ['read', 'write'], expires_at: ends(120) },
    { name: 'Grafana', scopes: ['read'], expires_at: ends(5) },
    { name: 'Laptop of Ada', scopes: ['read', 'write'], expires_at: ends(360) },
  ]) {
    const { body: made } = await api.call(session, 'POST', '/v1/keys', body)
    ids.push(String((made['apiKey'] as unknown as { readonly id: string }).id))
  }
  await api.call(session, 'POST', `/v1/keys/${ids[3]}/rotate`, { grace_period_hours: 24 })
  const used = (name: string, ago: string) => `
    update api_keys set last_used_at = now() - interval '${ago}'
    where name = '${name}' and team_id = '${owner.team_id}'`
  await api.sql(used('Deploy of the shop', '3 minutes'))
  await api.sql(used('Grafana', '40 seconds'))
}
