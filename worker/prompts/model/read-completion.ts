import Type from 'typebox'
import { Compile } from 'typebox/schema'
import { failure, malformed, type ModelFailure } from './model-fault.ts'

const Maybe = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** The part of the protocol's answer that we use. Endpoints differ in the rest. */
const Completion = Compile(
  Type.Object({
    choices: Type.Array(
      Type.Object({
        finish_reason: Maybe(Type.String()),
        message: Type.Object({ content: Maybe(Type.String()), refusal: Maybe(Type.String()) }),
      }),
      { minItems: 1 },
    ),
  }),
)

/** Returns the text of an answer. */
type ReadCompletion =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: ModelFailure }

export function readCompletion(completion: unknown): ReadCompletion {
  if (!Completion.Check(completion)) return failed(malformed('it is no chat completion'))
  const [choice] = completion.choices
  if (!choice) return failed(malformed('it is no chat completion'))
  const { finish_reason: reason, message } = choice
  if (reason === 'length') return failed(CUT_OFF)
  if (reason === 'content_filter' || (message.refusal ?? '') !== '') return failed(REFUSED)
  const text = message.content ?? ''
  return text.trim() === '' ? failed(malformed('it has no words')) : { ok: true, text }
}

const failed = (why: ModelFailure): ReadCompletion => ({ ok: false, failure: why })

const CUT_OFF = failure(
  'model_answer',
  'The answer of the model was cut off, for it is longer than an answer may be. Ask for fewer values, or for ' +
    'shorter ones.',
  { wasAnswered: true },
)
const REFUSED = failure('model_answer', 'The model refused to answer. Change the prompt.', { wasAnswered: true })
