import { JSONPathEnvironment, JSONPathError } from 'json-p3'
import type { JSONPathNode, JSONPathQuery } from 'json-p3'
import type { Json } from '../../../schema/shape/json.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { RefusedRule } from '../refused-rule.ts'
import type { ParsedJson } from './parse-json.ts'

/**
 * RFC 9535, with filters and its five functions, by json-p3. It interprets the query and evaluates nothing as code.
 * `match()` and `search()` run as JavaScript patterns and can hang, so this runs in threads that can be terminated.
 */
const ENVIRONMENT = new JSONPathEnvironment({ maxRecursionDepth: EXTRACT_LIMITS.jsonValues })

/** Throws json-p3's errors, whose `token` gives the position. */
export function compileJsonPath(source: string): JSONPathQuery {
  return ENVIRONMENT.compile(source)
}

/**
 * Returns the value of a singular query, or null where there is none. Any other query returns the list of its values,
 * which may be empty. Throws `RefusedRule` where the engine refuses the query on this document.
 */
export function runJsonPath(query: JSONPathQuery, parsed: ParsedJson): Json {
  try {
    return evaluated(query, parsed)
  } catch (error) {
    throw error instanceof JSONPathError ? new RefusedRule(error.message, { cause: error }) : error
  }
}

function evaluated(query: JSONPathQuery, { plain, exact }: ParsedJson): Json {
  const document = plain as Parameters<JSONPathQuery['query']>[0]
  const valueOf = (node: JSONPathNode) => (plain === exact ? node.value : exactAt(exact, node)) as Json
  if (query.singularQuery()) {
    const node = query.match(document)
    return node === undefined ? null : valueOf(node)
  }
  return query.query(document).nodes.map(valueOf)
}

/**
 * Returns the exact value at the same location. Filters compare numbers as doubles; the selected numbers are returned
 * as they were written.
 */
function exactAt(exact: Json, { location }: JSONPathNode): Json {
  return location.reduce<Json>((value, step) => (value as Readonly<Record<string, Json>>)[step] ?? null, exact)
}
