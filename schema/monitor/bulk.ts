import Type, { type Static } from 'typebox'
import { ERRORS, type ErrorCode } from '../error.ts'
import { Choice, Closed, Text, Uuid } from '../shape/shape.ts'
import { MuteRequest } from './mute.ts'

const BULK_ACTIONS = ['pause', 'resume', 'mute', 'unmute', 'delete', 'run'] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

/** Most monitors of one request. */
export const MAX_BULK = 100

const { properties: muteKeys } = MuteRequest

/** Body of `POST /v1/monitors/bulk`. The last three keys are for the action `mute`. */
export const MonitorBulk = Closed(
  {
    action: Choice(BULK_ACTIONS),
    ids: Type.Array(Uuid(), { minItems: 1, maxItems: MAX_BULK, description: 'A repeated id is processed once.' }),
    until: Type.Optional(muteKeys.until),
    reason: Type.Optional(muteKeys.reason),
    drop: Type.Optional(muteKeys.drop),
  },
  { rules: ['mute_of_bulk'] },
)
export type MonitorBulk = Static<typeof MonitorBulk>

/** The result for one monitor. */
export const BulkResult = Closed({
  id: Uuid(),
  ok: Type.Boolean(),
  run_id: Type.Optional(Uuid('The queued run. Only for action run.')),
  error: Type.Optional(
    Closed(
      {
        code: Choice(Object.keys(ERRORS) as ErrorCode[]),
        message: Text(1, 2000),
        details: Type.Array(Type.Unknown(), { maxItems: 100 }),
      },
      { description: "The error that the monitor's own route would have returned." },
    ),
  ),
})
export type BulkResult = Static<typeof BulkResult>

/** Response of `POST /v1/monitors/bulk`. */
export const MonitorBulkDone = Closed({
  action: Choice(BULK_ACTIONS),
  succeeded: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
  results: Type.Array(BulkResult, { description: 'One result for each id, in the order of first occurrence.' }),
})
export type MonitorBulkDone = Static<typeof MonitorBulkDone>
