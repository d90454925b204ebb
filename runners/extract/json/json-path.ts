import { JSONPathEnvironment } from 'json-p3'
import type { JSONPathNode, JSONPathQuery } from 'json-p3'
import type { Json } from '../../../schema/shape/json.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import type { ParsedJson } from './parse-json.ts'

/**
 * RFC 9535, with filters and its five functions, by json-p3: it interprets, nothing is evaluated as code. `match()` and
 * `search()` run as JavaScript patterns and can be made to hang, which is why this runs in threads that can be killed.
 */
const ENVIRONMENT = new JSONPathEnvironment({ maxRecursionDepth: EXTRACT_LIMITS.jsonValues })

/** Throws json-p3's errors, whose `token` names the place. */
export function compileJsonPath(source: string): JSONPathQuery {
  return ENVIRONMENT.compile(source)
}

/**
 * A singular query gives its value, or null where there is none; any other gives the list of its values, which may be
 * empty.
 */
export function runJsonPath(query: JSONPathQuery, { plain, exact }: ParsedJson): Json {
  const document = plain as Parameters<JSONPathQuery['query']>[0]
  const valueOf = (node: JSONPathNode) => (plain === exact ? node.value : exactAt(exact, node)) as Json
  if (query.singularQuery()) {
    const node = query.match(document)
    return node === undefined ? null : valueOf(node)
  }
  return query.query(document).nodes.map(valueOf)
}

/** What stands in the same place. Filters compare numbers as doubles; what they choose is given as it was written. */
function exactAt(exact: Json, { location }: JSONPathNode): Json {
  return location.reduce<Json>((value, step) => (value as Readonly<Record<string, Json>>)[step] ?? null, exact)
}
