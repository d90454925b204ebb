/** How an endpoint is asked. "OpenAI-compatible" endpoints accept different parameters. */
export interface Dialect {
  /** How it is asked for JSON: with a schema, in JSON mode, or by our instructions alone. */
  readonly format: 'json_schema' | 'json_object' | 'words'
  readonly temperature: boolean
  readonly limit: 'max_tokens' | 'max_completion_tokens' | 'none'
}

/** The dialect that most endpoints accept and that gives the most stable answers. */
export const FULL: Dialect = { format: 'json_schema', temperature: true, limit: 'max_tokens' }

/** Statuses with which endpoints refuse a parameter. */
const REFUSED = [400, 404, 415, 422, 501]

interface Refusal {
  readonly status: number
  /** The text of the endpoint's error. */
  readonly words: string
  readonly wantsJson: boolean
}

/**
 * Returns the dialect to try after the endpoint refused a question: without the parameter that the error names, or else
 * with a simpler way to ask for JSON. Returns null if the question itself was refused. Each step asks for less, so
 * there are at most five.
 */
export function simpler(dialect: Dialect, { status, words, wantsJson }: Refusal): Dialect | null {
  if (!REFUSED.includes(status)) return null
  if (dialect.temperature && /temperature/i.test(words)) return { ...dialect, temperature: false }
  if (dialect.limit !== 'none' && /max_(?:completion_)?tokens/i.test(words))
    return { ...dialect, limit: dialect.limit === 'max_tokens' ? 'max_completion_tokens' : 'none' }
  // An endpoint that does not know the model or the address returns 404 for every question.
  if (!wantsJson || dialect.format === 'words' || status === 404) return null
  return { ...dialect, format: dialect.format === 'json_schema' ? 'json_object' : 'words' }
}
