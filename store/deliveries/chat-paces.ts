import { sql } from 'slonik'
import Type from 'typebox'
import { CHAT_PACE } from '../../schema/run/delivery.ts'
import type { Store } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'

/** The address of a chat (`chatOf`). */
interface Chat {
  readonly address: string
  /** Between two messages, after a short burst. */
  readonly everyMs: number
}

const turn = row({ address: Type.String(), is_taken: Type.Boolean(), wait_ms: Type.Number() })

/** Of a burst, the messages after the first. */
const AFTER_FIRST = CHAT_PACE.burst - 1
/** A time further ahead was written before the clock was set back. It counts as none. */
const FURTHEST = sql.fragment`make_interval(secs => ${(CHAT_PACE.longestHoldMs * 2) / 1_000})`
const AT = sql.fragment`(select at from t)`
/** Somebody else took a turn at the same moment. */
const LEAST_WAIT_MS = 20

/**
 * Takes the turn for one message to each of these chats, where it has one now. All processes and both outboxes share
 * the turns. Returns, for each chat, whether the turn was taken, and otherwise how long to wait before asking again.
 *
 * `busy_until` is the time at which the whole burst is available again. Each message moves it by `everyMs`. A chat has
 * a turn as long as that stays within the burst.
 */
export async function takeTurns(
  store: Store,
  chats: readonly Chat[],
): Promise<ReadonlyMap<string, { readonly isTaken: boolean; readonly waitMs: number }>> {
  const asked = chats.map(({ address, everyMs }) => ({ address, every_ms: everyMs }))
  const rows = await store.any(sql.prepared('take_turns', turn)`
    with t as materialized (select clock() as at),
    asked as materialized (
      select address, make_interval(secs => every_ms / 1000.0) as every
      from ${unnest('i', asked, { address: 'text', every_ms: 'int4' })}
    ),
    taken as (
      insert into chat_paces as p (address, busy_until)
      -- Processes lock in the same order.
      select address, at + every from asked, t order by address
      on conflict (address) do update set busy_until = excluded.busy_until
        + case when p.busy_until between ${AT} and ${AT} + ${FURTHEST} then p.busy_until - ${AT} else interval '0' end
      where p.busy_until <= ${AT} + ${AFTER_FIRST}::int * (excluded.busy_until - ${AT})
        or p.busy_until > ${AT} + ${FURTHEST}
      returning address
    )
    select a.address, t.address is not null as is_taken,
      greatest(${LEAST_WAIT_MS}::float8, coalesce(extract(epoch from
        p.busy_until - ${AT} - ${AFTER_FIRST}::int * a.every) * 1000, 0)::float8) as wait_ms
    from asked a
    left join taken t using (address)
    left join chat_paces p on p.address = a.address
  `)
  return new Map(rows.map(({ address, is_taken: isTaken, wait_ms: waitMs }) => [address, { isTaken, waitMs }]))
}

/** Gives back turns that were taken for a message which another process has claimed in the meantime. */
export async function giveBackTurns(store: Store, chats: readonly Chat[]): Promise<void> {
  const given = chats.map(({ address, everyMs }) => ({ address, every_ms: everyMs }))
  await store.query(sql.prepared('give_back_turns', nothing)`
    update chat_paces p set busy_until = p.busy_until - make_interval(secs => i.every_ms / 1000.0)
    from ${unnest('i', given, { address: 'text', every_ms: 'int4' })}
    where p.address = i.address
  `)
}

/**
 * Lets no message to the chat begin for this long: the one that waits is sent then, and the next one after it. It does
 * not shorten a longer wait.
 */
export async function holdChat(store: Store, { address, everyMs }: Chat, ms: number): Promise<void> {
  const seconds = (Math.min(ms, CHAT_PACE.longestHoldMs) + CHAT_PACE.burst * everyMs) / 1_000
  await store.query(sql.type(nothing)`
    insert into chat_paces as p (address, busy_until) values (${address}, clock() + make_interval(secs => ${seconds}))
    on conflict (address) do update set busy_until = case
      when p.busy_until <= clock() + ${FURTHEST} then greatest(p.busy_until, excluded.busy_until)
      else excluded.busy_until end
  `)
}

/** Deletes the chats that got no message for a while, because addresses come and go. */
export async function forgetChats(store: Store): Promise<void> {
  await store.query(sql.type(nothing)`
    delete from chat_paces where address in (
      select address from chat_paces where busy_until < clock() - interval '5 minutes'
      limit 10000 for update skip locked
    )
  `)
}
