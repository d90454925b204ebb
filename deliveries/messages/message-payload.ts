import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/schema'
import { AccountMail } from '../../schema/account/mail.ts'
import { ListChange, TextChange } from '../../schema/run/delivery.ts'
import { SerpAnalysisBlock, SerpBlock } from '../../schema/serp/serp-result.ts'
import type { Json } from '../../schema/shape/json.ts'
import { Dictionary } from '../../schema/shape/shape.ts'

/**
 * The part of a stored payload (schema/run/delivery.ts, core/payload.ts) that messages show. The payload may have other
 * keys.
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
  lists: Type.Optional(
    Type.Unsafe<Readonly<Record<string, ListChange>>>(Dictionary(ListChange, { maxProperties: 200 })),
  ),
  numeric_fields: Type.Optional(Type.Array(Type.String())),
  text: Type.Optional(TextChange),
  serp: Type.Optional(SerpBlock),
  serp_analysis: Type.Optional(SerpAnalysisBlock),
  visual: Type.Optional(Type.Object({ change_pct: Type.Number(), threshold_pct: Type.Number() })),
  test: Type.Optional(Type.Literal(true)),
})
export type MessagePayload = Static<typeof MessagePayload>

const Text = Type.String()
/** The part of a notice (schema/run/notice.ts) that messages show. */
const NoticeMessage = Type.Object({
  type: Type.Literal('notice'),
  occurred_at: Text,
  title: Text,
  message: Text,
  recipient: Text,
  monitor_id: Type.Union([Text, Type.Null()]),
  run_id: Type.Union([Text, Type.Null()]),
  monitor: Type.Union([Type.Object({ url: Text, name: Text, kind: Text }), Type.Null()]),
  field_missing: Type.Optional(Type.Object({ all: Type.Boolean() })),
})
export type NoticeMessage = Static<typeof NoticeMessage>

// Checks the shape only. A message with characters that are not allowed elsewhere is not withheld; those characters are
// not shown.
const shape = Compile(MessagePayload)
const noticeShape = Compile(NoticeMessage)
const mailShape = Compile(AccountMail)

/** Reads the stored text of a delivery or a notice. Returns null when no message can be made from it. */
export function readPayload(text: string): MessagePayload | NoticeMessage | null {
  const value = parse(text)
  return shape.Check(value) || noticeShape.Check(value) ? value : null
}

/** Reads the stored text of a mail to an account. Returns null for the text of any other message. */
export function readAccountMail(text: string): AccountMail | null {
  const value = parse(text)
  return mailShape.Check(value) ? value : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
