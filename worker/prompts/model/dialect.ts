/** How an endpoint is asked: "OpenAI-compatible" ones differ in what they take. */
export interface Dialect {
  /** How it is told to answer in JSON: held to a schema, held to JSON, or by our words alone. */
  readonly format: 'json_schema' | 'json_object' | 'words'
  readonly temperature: boolean
  readonly limit: 'max_tokens' | 'max_completion_tokens' | 'none'
}

/** What most take, and what gives the steadiest answers. */
export const FULL: Dialect = { format: 'json_schema', temperature: true, limit: 'max_tokens' }

/** Statuses with which endpoints refuse a parameter. */
const REFUSED = [400, 404, 415, 422, 501]

interface Refusal {
  readonly status: number
  /** The endpoint's own words. */
  readonly words: string
  readonly wantsJson: boolean
}

/**
 * What to try after the endpoint refused a question: the same without the parameter that it names, else with a simpler
 * way to ask for JSON. Null: the question itself was refused. Each step asks for less, so there are five at most.
 */
export function simpler(dialect: Dialect, { status, words, wantsJson }: Refusal): Dialect | null {
  if (!REFUSED.includes(status)) return null
  if (dialect.temperature && /temperature/i.test(words)) return { ...dialect, temperature: false }
  if (dialect.limit !== 'none' && /max_(?:completion_)?tokens/i.test(words))
    return { ...dialect, limit: dialect.limit === 'max_tokens' ? 'max_completion_tokens' : 'none' }
  // An endpoint that does not know the model or the address says 404 to everything.
  if (!wantsJson || dialect.format === 'words' || status === 404) return null
  return { ...dialect, format: dialect.format === 'json_schema' ? 'json_object' : 'words' }
}
