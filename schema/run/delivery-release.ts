import Type, { type Static } from 'typebox'
import { ERRORS, type ErrorCode } from '../error.ts'
import { Choice, Closed, Text, Uuid } from '../shape/shape.ts'

/** Most deliveries of one request. */
export const MAX_RELEASED = 100

const RELEASE_ACTIONS = ['send', 'drop'] as const
export type ReleaseAction = (typeof RELEASE_ACTIONS)[number]

/** Body of `POST /v1/deliveries/release`. */
export const DeliveryRelease = Closed({
  ids: Type.Array(Uuid(), { minItems: 1, maxItems: MAX_RELEASED, description: 'A repeated id is processed once.' }),
  action: Choice(RELEASE_ACTIONS, {
    description: 'send: they are sent now. drop: they are never sent, and are deleted; their runs say `dropped`.',
  }),
})

const Refused = Type.Optional(
  Closed({ code: Choice(Object.keys(ERRORS) as ErrorCode[]), message: Text(1, 200, 'Why not.') }),
)

/** What became of one delivery. */
export const DeliveryResult = Closed({ id: Uuid(), ok: Type.Boolean(), error: Refused })

/** Response of `POST /v1/deliveries/release`. */
export const DeliveryReleased = Closed({
  succeeded: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
  results: Type.Array(DeliveryResult, {
    maxItems: MAX_RELEASED,
    description: 'One result for each id, in the order of first occurrence.',
  }),
})
export type DeliveryReleased = Static<typeof DeliveryReleased>
