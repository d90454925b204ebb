import { JsonObject } from '../../schema/shape/shape.ts'
import { describeApi } from '../openapi/describe-api.ts'
import { ok, publicRoute, type Route } from '../http/route.ts'

/** The OpenAPI document of these routes, which includes its own route. */
export function openApiRoute(routes: readonly Route[]): Route {
  let document: object | undefined
  const self: Route = publicRoute({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'Read this document',
    tag: 'Specification',
    policy: 'public',
    answers: { 200: { description: 'The OpenAPI 3.1 document.', schema: JsonObject() } },
    handle: async () => ok((document ??= describeApi([...routes, self]))),
  })
  return self
}
