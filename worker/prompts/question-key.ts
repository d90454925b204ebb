import { createHash } from 'node:crypto'
import type { Question } from './prompts-port.ts'
import { MESSAGES_VERSION } from './model/messages.ts'

/**
 * What a kept answer is found by: SHA-256 over all that decides it. The text is that which the model is given, so a
 * page whose scripts and marks changed but whose words did not is not asked about again.
 */
export function questionKey({ prompt, schema, text }: Question, model: string): Buffer {
  const page = createHash('sha256').update(text).digest('hex')
  return createHash('sha256')
    .update(JSON.stringify([MESSAGES_VERSION, model, prompt, schema, page]))
    .digest()
}
