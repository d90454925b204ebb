import { JSONPathEnvironment } from 'json-p3'
import type { JSONPathQuery } from 'json-p3'
import type { Json } from '../../schema/json.ts'
import { EXTRACT_LIMITS } from './limits.ts'

/**
 * RFC 9535, with filters and its five functions, by json-p3: it interprets, nothing is evaluated as code. `match()` and `search()` run as
 * JavaScript patterns and can be made to hang, which is why this runs in threads that can be killed.
 */
const ENVIRONMENT = new JSONPathEnvironment({ maxRecursionDepth: EXTRACT_LIMITS.jsonValues })

/** Throws json-p3's errors, whose `token` names the place. */
export function compileJsonPath(source: string): JSONPathQuery {
  return ENVIRONMENT.compile(source)
}

/** A singular query gives its value, or null where there is none; any other gives the list of its values, which may be empty (DESIGN §4.16). */
export function runJsonPath(query: JSONPathQuery, value: Json): Json {
  const document = value as Parameters<JSONPathQuery['query']>[0]
  if (query.singularQuery()) return (query.match(document)?.value ?? null) as Json
  return query.query(document).values() as Json[]
}
