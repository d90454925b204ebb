import { createHash } from 'node:crypto'
import { MESSAGES_VERSION } from './model/messages.ts'
import type { Question } from './prompts-port.ts'

/**
 * Returns the key of a stored answer: SHA-256 over everything that the answer depends on. The text is the one that the
 * model gets. So a page whose scripts and markup changed but whose text did not is not asked about again.
 */
export function questionKey({ prompt, schema, text }: Question, model: string): Buffer {
  const page = createHash('sha256').update(text).digest('hex')
  return createHash('sha256')
    .update(JSON.stringify([MESSAGES_VERSION, model, prompt, schema, page]))
    .digest()
}
