import { sql } from 'slonik'
import type { DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { ServiceName } from '../../schema/monitor/delivery-services.ts'
import type { DeliveryStatus } from '../../schema/run/delivery.ts'
import { nameContains } from '../monitors/is-monitor.ts'
import { retentionCutoff } from '../quota/pool.ts'
import { GIVEN_UP, IS_MISSED } from './given-up.ts'

/** Which deliveries of a team are wanted. */
export interface DeliveryFilter {
  readonly teamId: string
  readonly status?: DeliveryStatus | undefined
  /** Only those of monitors whose name contains this text, whatever its case. */
  readonly name?: string | undefined
  readonly monitorId?: string | undefined
  /** Only those that were given up; false: only the others. */
  readonly givenUp?: boolean | undefined
  /** Only those that were given up, of destinations that their monitors still have; false: only the others. */
  readonly missed?: boolean | undefined
  /** Only those that wait for a later hour; false: only the others. */
  readonly held?: boolean | undefined
  readonly type?: DeliveryType | undefined
  readonly service?: ServiceName | undefined
  /** Only those to one destination (`targetKey`). */
  readonly destination?: string | undefined
  /** Part of the monitor's name or the destination's host, whatever its case. */
  readonly q?: string | undefined
  /** Made at this instant or later. */
  readonly from?: string | undefined
  /** Made before this instant. */
  readonly to?: string | undefined
}

/**
 * Returns a name of the statement, which tells its filters apart. Null: the filter is one of many, of which the store
 * would keep a plan each.
 */
export function nameOfFilter(filter: DeliveryFilter): string | null {
  const { status = 'all', name, monitorId, givenUp, missed, held, type, service, destination, q, from, to } = filter
  if ([held, type, service, destination, q, from, to].some((one) => one !== undefined)) return null
  const ended = givenUp === undefined ? '' : givenUp ? '_given_up' : '_not_given_up'
  const wanted = missed === undefined ? '' : missed ? '_missed' : '_not_missed'
  return `${status}${name === undefined ? '' : '_named'}${monitorId === undefined ? '' : '_of_one'}${ended}${wanted}`
}

/** Is true for a delivery that waits for a later hour. */
export const IS_HELD = sql.fragment`(d.held is not null and d.status = 'pending' and d.attempts = 0)`

/** The host without its port, of a key that begins with it (`destinationKey`). */
const HOST = sql.fragment`split_part(split_part(d.host, ' ', 1), ':', 1)`

/**
 * Returns the condition of `deliveries d` that the filter and the plan's window leave them. No index is for one filter
 * alone but for what was given up: of 100,000 deliveries on two busy cores, a page by `destination` took 5 to 160 ms,
 * one without what was given up 10 to 80 ms, and the length of either list 60 to 200 ms.
 */
export function isWanted(filter: DeliveryFilter) {
  const { teamId, status, name, monitorId, givenUp, missed, held, type, service, destination, q, from, to } = filter
  const monitorOf = (condition: ReturnType<typeof sql.fragment>) => sql.fragment`d.monitor_no in (
    select m.no from monitors m where m.team_id = ${teamId}::uuid and ${condition})`
  const conditions = [sql.fragment`d.team_id = ${teamId}::uuid and d.created_at >= ${retentionCutoff(teamId)}`]
  const add = <T>(value: T | undefined, condition: (value: T) => ReturnType<typeof sql.fragment>) => {
    if (value !== undefined) conditions.push(condition(value))
  }
  add(status, (one) => sql.fragment`d.status = ${sql.literalValue(one)}`)
  add(givenUp, (is) => (is ? GIVEN_UP : sql.fragment`not ${GIVEN_UP}`))
  add(missed, (is) => (is ? IS_MISSED : sql.fragment`not ${IS_MISSED}`))
  add(name, (text) => monitorOf(nameContains(text)))
  add(monitorId, (id) => sql.fragment`d.monitor_no = (select m.no from monitors m where m.id = ${id}::uuid)`)
  add(held, (is) => sql.fragment`${IS_HELD} = ${is}`)
  add(type, (one) => sql.fragment`d.type = ${one}`)
  add(service, (one) => sql.fragment`d.service = ${one}`)
  add(destination, (key) => sql.fragment`d.target_key = ${key}`)
  add(q, (text) => sql.fragment`(strpos(${HOST}, lower(${text}::text)) > 0 or ${monitorOf(nameContains(text))})`)
  add(from, (at) => sql.fragment`d.created_at >= ${at}::timestamptz`)
  add(to, (at) => sql.fragment`d.created_at < ${at}::timestamptz`)
  return sql.join(conditions, sql.fragment` and `)
}
