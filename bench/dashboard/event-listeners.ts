import { Agent, request } from 'undici'
import { EVENT_LIMITS } from '../../schema/overview/event-limits.ts'
import { insertApiKey } from '../../store/accounts/credentials/api-keys.ts'
import { openStore } from '../../store/db/client.ts'
import type { Database } from '../support/database.ts'
import { TEAM } from '../support/monitors.ts'

/** Who listens: a key, the monitors that it watches, and how many streams it opens. */
interface EventListener {
  readonly key: string
  readonly watch: readonly string[]
  readonly streams: number
}

interface OpenStreams {
  /** How many events the streams of watched monitors have had together. */
  told(): number
  close(): Promise<void>
}

/** Makes keys for so many streams, up to the bounds of a key and of a team. The first team is that of the bench. */
export async function listenersOf({ url, client }: Database, streams: number): Promise<readonly EventListener[]> {
  const { perCaller, perTeam, watched } = EVENT_LIMITS
  const store = await openStore({ url, name: 'bench streams', connections: 1 })
  try {
    const { rows } = await client.query<{ id: string }>('select id from monitors order by no limit $1', [watched])
    const listeners: EventListener[] = []
    for (let left = streams, nth = 0; left > 0; left -= perCaller, nth += 1) {
      const team = Math.floor((nth * perCaller) / perTeam)
      const teamId = team === 0 ? TEAM : await otherTeam(client, team)
      const { rows: owners } = await client.query<{ owner: string }>(
        'select owner_user_id as owner from teams where id = $1',
        [teamId],
      )
      const made = await insertApiKey(store, {
        teamId,
        userId: owners[0]?.owner ?? '',
        name: `listener ${nth}`,
        scopes: ['read'],
        expiresAt: null,
      })
      if (!made) throw new Error('no key')
      const watch = team === 0 ? rows.map(({ id }) => id) : []
      listeners.push({ key: made.key, watch, streams: Math.min(left, perCaller) })
    }
    return listeners
  } finally {
    await store.end()
  }
}

async function otherTeam(client: Database['client'], team: number): Promise<string> {
  const id = `00000000-0000-4000-8000-${String(team).padStart(12, '0')}`
  await client.query(
    `with made as (
       insert into teams (id, name, owner_user_id, tier) values ($1, 'listens', gen_random_uuid(), 'scale')
       on conflict do nothing returning id)
     insert into team_usage (team_id, runs_limit) select id, 1000 from made`,
    [id],
  )
  return id
}

/** Opens the streams, each over a connection of its own. Resolves when each has its place. */
export async function openStreams(base: string, listeners: readonly EventListener[]): Promise<OpenStreams> {
  const agent = new Agent()
  let told = 0
  const open = async ({ key, watch }: EventListener): Promise<void> => {
    const path = watch.length > 0 ? `/v1/events?watch=${watch.join()}` : '/v1/events'
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const { statusCode, body } = await request(base + path, { dispatcher: agent, headers, bodyTimeout: 0 })
    if (statusCode !== 200) throw new Error(`a stream was answered with ${statusCode}: ${await body.text()}`)
    const placed = Promise.withResolvers<void>()
    // Leaving is an error of the answer, too.
    body.on('error', () => {})
    body.on('data', (text: Buffer) => {
      placed.resolve()
      if (watch.length > 0 && text.includes('event: ')) told += 1
    })
    await placed.promise
  }
  await Promise.all(listeners.flatMap((listener) => Array.from({ length: listener.streams }, () => open(listener))))
  return { told: () => told, close: () => agent.destroy() }
}
