import { sql } from 'slonik'
import { WORK_LEVEL } from '../../schema/level.ts'

/*
 * Conditions on `a`, a row of `asked_work`: work that a runner does while somebody waits. It is leased by its number
 * and its fence, as a check is.
 */

/** A page that ended so many runners is not given to another one. */
const MAX_TRIES = 3
/** Work with fewer seconds until its deadline is not claimed: its answer would be late. */
const LAST_SECONDS = 3

/** Is true when no runner has it, or its runner is gone. */
export const IS_UNHELD = sql.fragment`(
  a.leased_until is null or a.leased_until <= clock() or a.holder is not null and not exists (
    select from runner_tokens k where k.id = a.holder and k.revoked_at is null and k.expires_at > clock()
  ))`

/**
 * Is true for a search that a runner makes. Its exit is taken until the runner has ended or its lease has, whether
 * somebody waits or not: the engine is being asked.
 */
export const IS_ASKING = sql.fragment`(
  a.engine is not null and a.holder is not null and a.answer is null and not ${IS_UNHELD})`

/** Is true when a runner may begin it. */
export const IS_FREE = sql.fragment`(
  a.request is not null and a.answer is null and a.tries < ${MAX_TRIES} and ${IS_UNHELD}
  and a.deadline_at > clock() + make_interval(secs => ${LAST_SECONDS}))`

/** Is true for a search whose engine refused, and is not asked by anybody now. */
export const IS_LEFT_ALONE = sql.fragment`
  exists (select from serp_engines e where e.engine = a.engine and e.refused_until > clock())`

/** Is true when the token has leased the input `i`, and somebody waits for it, or its search is under way. */
export const isHeldAsked = (holder: number) => sql.fragment`
  a.no = i.no and a.fence = i.fence and a.holder = ${holder} and a.answer is null
  and (a.deadline_at > clock() or ${IS_ASKING})`

/**
 * Selects what no runner has begun, and what one has. For the number of pods that are needed: what has an engine that
 * is left alone needs none.
 */
export const WAITING_ASKED = sql.fragment`
  select a.no, a.team_id, a.asked_at, a.engine, a.is_isolated from asked_work a
  where ${IS_FREE} and a.level <= ${WORK_LEVEL}::smallint and not ${IS_LEFT_ALONE}`
export const LEASED_ASKED = sql.fragment`
  select a.no, a.is_isolated from asked_work a
  where a.request is not null and a.answer is null and (a.deadline_at > clock() or ${IS_ASKING})
    and a.leased_until > clock() and a.holder is not null and not ${IS_FREE}`
