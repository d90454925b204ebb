import type { FastifyRequest } from 'fastify'
import { ApiError, apiError } from './api-error.ts'
import type { Route } from './route.ts'

/** Distinguishes an address that does not exist (404) from one that exists with other methods (405). */
interface NotFound {
  error(url: string): ApiError
  /**
   * Returns whether a request reached a route with parameters although its address is that of other routes: without
   * this, `PATCH /v1/monitors/bulk` would edit a monitor whose id is `bulk`.
   */
  isShadowed(request: Pick<FastifyRequest, 'url' | 'routeOptions'>): boolean
}

/** Builds it once from the route table. */
export function createNotFound(routes: readonly Route[]): NotFound {
  const methods = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    const known = methods.get(path) ?? new Set()
    methods.set(path, known.add(method))
    if (method === 'GET') known.add('HEAD')
  }
  const isPlain = (path: string) => !path.includes(':')
  // A plain path comes before one with parameters, as in the router.
  const sorted = [...methods].sort(([a], [b]) => Number(isPlain(b)) - Number(isPlain(a)))
  const patterns = sorted.map(([path, allowed]) => ({
    allowed: [...allowed].sort().join(', '),
    pattern: patternOf(path),
  }))
  return {
    error(url) {
      const path = pathOf(url)
      const match = patterns.find(({ pattern }) => pattern.test(path))
      if (!match) return apiError('NOT_FOUND', 'There is nothing at this address.')
      const message = `This address accepts ${match.allowed} only.`
      return new ApiError('METHOD_NOT_ALLOWED', message, { headers: { allow: match.allowed } })
    },
    isShadowed: ({ url, routeOptions }) =>
      routeOptions.url !== undefined && !isPlain(routeOptions.url) && methods.has(pathOf(url)),
  }
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? url

const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`)
