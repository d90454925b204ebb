import { cutPictures, splitOutcome } from '../../runners/client/outcome-frame.ts'
import { RunnerOutcome } from '../../schema/runner-api.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import type { ReportedOutcome } from '../../worker/queue/reported-outcome.ts'
import { parseJsonBody } from '../http/read-request.ts'
import { validationError } from '../http/validation-error.ts'

/** Returns the outcome in a body, in the format of schema/runner-api.ts. Throws VALIDATION_ERROR with every issue. */
export function readOutcome(body: Buffer): ReportedOutcome {
  const split = splitOutcome(body)
  if (split === null) throw malformed('', 'is cut off: its first four bytes give the length of the JSON that follows')
  const head = parseJsonBody(split.head)
  // Values are nested deeper than what people write, and contain what the recorder cleans. its kind validates
  // them (worker/kinds).
  const { values, ...rest } = isMap(head) ? head : { rest: head }
  const read = checkerOf(RunnerOutcome).validate(isMap(head) ? rest : head)
  if (!read.ok) throw validationError('body', read.issues)
  const pictures = cutPictures(split.rest, read.value.pictures)
  if (pictures === null) throw malformed('pictures', 'do not match the bytes that follow the JSON')
  return { outcome: values === undefined ? read.value : { ...read.value, values }, pictures }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const malformed = (path: string, message: string) => validationError('body', [{ path, message }])
