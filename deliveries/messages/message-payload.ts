import Type, { type Static } from 'typebox'
import type { Json } from '../../schema/json.ts'
import { checkerOf } from '../../schema/validate.ts'

/** What messages are made from: of a stored payload (schema/delivery.ts, core/payload.ts) what they show; other keys may stand beside it. */
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

const checker = checkerOf(MessagePayload)

/** Reads the stored text of a delivery; null when it holds something that no message can be made from. */
export function readPayload(text: string): MessagePayload | null {
  const checked = checker.validate(parse(text))
  return checked.ok ? checked.value : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
