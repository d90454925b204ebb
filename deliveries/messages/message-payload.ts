import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../schema/shape/json.ts'

/**
 * What messages are made from: of a stored payload (schema/run/delivery.ts, core/payload.ts) what they show; other keys
 * may stand beside it.
 */
const MessagePayload = Type.Object({
  monitor_id: Type.String(),
  run_id: Type.String(),
  fired_at: Type.String(),
  diff: Type.Object({
    fields_changed: Type.Array(Type.String()),
    before: Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' }),
    after: Type.Unsafe<Readonly<Record<string, Json>>>({ type: 'object' }),
  }),
  monitor: Type.Object({ url: Type.String(), name: Type.String() }),
  visual: Type.Optional(Type.Object({ change_pct: Type.Number(), threshold_pct: Type.Number() })),
})
export type MessagePayload = Static<typeof MessagePayload>

// Its shape only: what may not be in a text anywhere else is no reason to keep a message back, and is not shown.
const shape = Compile(MessagePayload)

/** Reads the stored text of a delivery; null when it holds something that no message can be made from. */
export function readPayload(text: string): MessagePayload | null {
  const value = parse(text)
  return shape.Check(value) ? value : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
