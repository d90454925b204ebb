import { createHash } from 'node:crypto'
import { JsonObject } from '../../schema/shape/shape.ts'
import { isKnown } from '../http/is-known.ts'
import { okText, publicRoute, type Route } from '../http/route.ts'
import { describeApi } from '../openapi/describe-api.ts'

const PER_MINUTE = 300

/** Returns what each request is answered with: to write the document takes 20 ms. */
function written(document: object) {
  const text = JSON.stringify(document)
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` }
}

/** The OpenAPI document of these routes, which includes its own route. */
export function openApiRoute(routes: readonly Route[]): Route {
  let document: { readonly text: string; readonly etag: string } | undefined
  const self: Route = publicRoute({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'Read this document',
    tag: 'Specification',
    policy: 'public',
    answers: {
      200: { description: 'The OpenAPI 3.1 document.', schema: JsonObject() },
      304: { description: 'The client has this version of it, as its If-None-Match says.' },
    },
    perAddress: PER_MINUTE,
    handle: async ({ headers }) => {
      const { text, etag } = (document ??= written(describeApi([...routes, self])))
      const shared = { etag, 'cache-control': 'public, no-cache' }
      if (isKnown(headers['if-none-match'], etag)) return { status: 304, headers: shared }
      return { ...okText('application/json', text), headers: shared }
    },
  })
  return self
}
