import { cleanReader } from '../../runners/extract/clean/clean-reader.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { PromptAnswer } from './prompts-port.ts'

interface Cleaning {
  readonly extractor: Pick<Extractor, 'read'> | undefined
  readonly extract: Pick<ExtractConfig, 'clean'>
  /** The address of the page, which links are relative to. */
  readonly url: string
  readonly signal: AbortSignal
}

/** Treats the values of a model's answer, in a thread: patterns may run for ever. */
export async function cleanAnswer(
  answer: PromptAnswer,
  { extractor, extract: { clean = {} }, url, signal }: Cleaning,
): Promise<PromptAnswer> {
  if (answer.kind !== 'values' || Object.keys(clean).length === 0) return answer
  if (!extractor) throw new TypeError('this process treats no values')
  const body = Buffer.from(JSON.stringify(answer.values))
  const cleaned = await extractor.read(cleanReader(clean), { body, contentType: 'application/json', url }, { signal })
  if (signal.aborted) return { kind: 'abandoned' }
  if (!cleaned.ok) return { kind: 'failed', fault: cleaned.fault, retryAfterMs: 0 }
  const { values, emptied, warnings } = cleaned.read
  // Both warn of a list that was cut.
  const all = [...new Set([...answer.warnings, ...warnings])]
  return { kind: 'values', values, ...(emptied.length > 0 && { emptied }), warnings: all }
}
