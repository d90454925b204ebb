import type { ShapeField } from '../../../core/prompt-shape/prompt-shape.ts'
import { jsonSchemaOf } from '../../../core/prompt-shape/shape-json.ts'
import { shapeOf } from '../../../core/prompt-shape/shape-of.ts'
import type { Values } from '../../../schema/shape/json.ts'
import type { Question } from '../prompts-port.ts'
import { type ReadAnswer, readObject, readWords } from '../read-answer.ts'
import { messagesOf, repairOf, type ModelRequest } from './messages.ts'
import { failure, type ModelFailure } from './model-fault.ts'
import type { Model } from './model.ts'

/** The result of asking the model. */
export type ModelAnswer =
  | { readonly kind: 'values'; readonly values: Values; readonly warnings: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'abandoned' }

/**
 * Returns the fields that a question's schema asks for; null: the question has no schema. Returns a failure if the
 * saved schema is not one that we accept.
 */
export function fieldsOf({ schema }: Question): readonly ShapeField[] | null | ModelFailure {
  if (!schema) return null
  const shape = shapeOf(schema)
  if (shape.ok) return shape.fields
  const { path, message } = shape.issue
  return failure(
    'bad_rule',
    `The schema of the prompt cannot be used: ${path === '' ? 'it' : path} ${message}. Change extract_config.schema.`,
  )
}

/**
 * Asks the model and reads its answer. If the answer does not match the schema, the model is asked once to repair it.
 * Never rejects.
 */
export async function askModel(
  question: Question,
  fields: readonly ShapeField[] | null,
  { model, signal }: { readonly model: Model; readonly signal: AbortSignal },
): Promise<ModelAnswer> {
  const request = messagesOf(question)
  const schema = fields && jsonSchemaOf(fields)
  const first = await model.say({ messages: request.messages, schema }, signal)
  if (first.kind !== 'said') return first
  const read = readSaid(first.text, request, fields)
  if (read.ok) return { kind: 'values', values: read.values, warnings: read.warnings }
  if (fields === null || read.faults === LEAKED) return { kind: 'failed', failure: unusable(read.faults) }
  const second = await model.say({ messages: repairOf(request, first.text, read.faults), schema }, signal)
  // The first question got an answer, so the call counts, whatever the result of the second.
  if (second.kind === 'failed') return { kind: 'failed', failure: { ...second.failure, wasAnswered: true } }
  if (second.kind === 'abandoned') return second
  const again = readSaid(second.text, request, fields)
  if (again.ok) return { kind: 'values', values: again.values, warnings: again.warnings }
  return { kind: 'failed', failure: unusable(again.faults) }
}

const LEAKED: readonly string[] = ['it repeats what only this service said to it, as the page may have told it to']

/**
 * An answer that contains the mark repeats its instructions. It is refused as a whole, because the page may have caused
 * it.
 */
function readSaid(text: string, { mark }: ModelRequest, fields: readonly ShapeField[] | null): ReadAnswer {
  if (text.includes(mark)) return { ok: false, faults: LEAKED }
  return fields ? readObject(text, fields) : readWords(text)
}

const unusable = (faults: readonly string[]): ModelFailure =>
  failure(
    'model_answer',
    `The model's answer cannot be used: ${faults.join('; ').slice(0, 600)}. Change the prompt or its schema.`,
    { wasAnswered: true },
  )
