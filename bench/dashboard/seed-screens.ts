import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { type DeliveryRow, newDelivery } from '../../store/deliveries/delivery-row.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { deliveryColumns } from '../../test/support/worker/delivery-columns.ts'
import type { Database } from '../support/database.ts'
import { ENCRYPTION_KEY } from '../support/worker-process.ts'
import { seedTeam } from './seed.ts'

/** How much the team of the other screens has. */
export interface ScreensSeed {
  readonly monitors: number
  readonly deliveries: number
  /** So many more were given up, all to one destination. */
  readonly dead: number
  readonly audits: number
  /** Members beside the owner, and API keys. */
  readonly people: number
}

/** The label that every monitor has. */
export const LABEL = { key: 'all', value: 'yes' } as const

const secrets = createSecretBox(ENCRYPTION_KEY)
const HOSTS = 20
const BATCH = 5_000
/** Nothing listens there: each attempt is refused at once. */
const DEAD_URL = 'http://127.0.0.1:9/hook'
const PAYLOAD = {
  event: 'monitor.changed',
  monitor: { name: 'Kettle', url: 'https://shop.example/kettle/1' },
  diff: { price: { before: '€ 89.00', after: '€ 79.00' } },
}

/** Makes an owner whose team has so many monitors, deliveries, events of the audit log, members and keys. */
export async function seedScreens(database: Database, size: ScreensSeed): Promise<CreatedOwner> {
  const owner = await seedTeam(database, size.monitors)
  const { client } = database
  await client.query('update monitors set labels = labels || jsonb_build_object($1::text, $2::text)', [
    LABEL.key,
    LABEL.value,
  ])
  await seedPeople(database, owner, size)
  const hosts = Array.from({ length: HOSTS }, (_, nth) => `https://hooks-${nth}.example/hook`)
  await seedDeliveries(database, owner, { urls: hosts, count: size.deliveries, status: 'success' })
  await seedDeliveries(database, owner, { urls: [DEAD_URL], count: size.dead, status: 'dead' })
  await client.query('vacuum analyze')
  return owner
}

async function seedPeople({ client }: Database, owner: CreatedOwner, { audits, people }: ScreensSeed): Promise<void> {
  await client.query(
    `with made as (
       insert into auth.users (name, email, email_verified)
       select 'Person ' || n, 'person-' || n || '@example.com', true from generate_series(1, $2::int) n returning id
     )
     insert into team_members (team_id, user_id, role) select $1::uuid, id, 'member' from made`,
    [owner.team_id, people],
  )
  await client.query(
    `insert into api_keys (team_id, user_id, name, prefix, hash, scopes)
     select $1::uuid, $2::uuid, 'Key ' || n, 'tm_12345', sha256(('bench ' || n)::bytea), '{read}'
     from generate_series(1, $3::int) n`,
    [owner.team_id, owner.user_id, people],
  )
  await client.query(
    `insert into audit_events (id, team_id, action, target_type, target_id, target_label, actor_type, actor_id,
       actor_label, metadata, created_at)
     select uuid_v7(at), $1::uuid, 'monitor.updated', 'monitor', gen_random_uuid(), 'Kettle ' || n, 'user', $2::uuid,
       'bench@example.com', '{"changed": ["name"]}', at
     from generate_series(1, $3::int) n, lateral (select clock() - n * interval '1 min' as at) t`,
    [owner.team_id, owner.user_id, audits],
  )
}

interface Seeded {
  readonly urls: readonly string[]
  readonly count: number
  readonly status: 'success' | 'dead'
}

/** Stores deliveries, each of another run. Those that were given up are a minute old, and the others up to a week. */
async function seedDeliveries({ client }: Database, owner: CreatedOwner, seeded: Seeded): Promise<void> {
  const { urls, count, status } = seeded
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, nth) =>
      deliveryTo({ type: 'webhook', url: urls[(from + nth) % urls.length] ?? '' }, owner.team_id),
    )
    const { id, type, target, host, target_key, payload } = deliveryColumns(rows)
    await client.query(
      `insert into deliveries (id, team_id, monitor_no, run_id, type, target, host, target_key, payload, status,
         attempts, last_attempt_at, response_status, created_at)
       select d.id, $1, c.no, c.reading_id, d.type, d.target, d.host, d.key, d.payload, $8, 1, clock(), 410,
         clock() - ($9::int + d.nth) * case when $8 = 'dead' then interval '10 ms' else interval '5 s' end
       from unnest($2::uuid[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[])
         with ordinality d (id, type, target, host, key, payload, nth)
       join (select no, reading_id, row_number() over (order by no) as at from checks) c
         on c.at = 1 + ($9::int + d.nth) % (select count(*) from checks)`,
      [owner.team_id, id, type, target, host, target_key, payload, status, from],
    )
  }
  if (status === 'success') return
  await client.query(
    `insert into dead_destinations (monitor_no, target_key, response_status)
     select distinct monitor_no, target_key, 410 from deliveries where status = 'dead'`,
  )
}

/** Returns a new delivery of the team, as a worker would store it. */
export const deliveryTo = (config: DeliveryConfig, teamId: string): DeliveryRow =>
  newDelivery({ secrets, teamId, config, at: Date.now(), payload: (id) => ({ id, ...PAYLOAD }) })
