import { ApiError, apiError } from './api-error.ts'
import type { Route } from './route.ts'

/**
 * Returns a function that distinguishes an address that does not exist (404) from one that exists with other methods
 * (405). Built once from the route table.
 */
export function createNotFound(routes: readonly Route[]): (path: string) => ApiError {
  const methods = new Map<string, Set<string>>()
  for (const { method, path } of routes) {
    const known = methods.get(path) ?? new Set()
    methods.set(path, known.add(method))
    if (method === 'GET') known.add('HEAD')
  }
  const patterns = [...methods].map(([path, allowed]) => ({
    allowed: [...allowed].sort().join(', '),
    pattern: patternOf(path),
  }))
  return (url) => {
    const path = url.split('?', 1)[0] ?? url
    const match = patterns.find(({ pattern }) => pattern.test(path))
    if (!match) return apiError('NOT_FOUND', 'There is nothing at this address.')
    const message = `This address accepts ${match.allowed} only.`
    return new ApiError('METHOD_NOT_ALLOWED', message, { headers: { allow: match.allowed } })
  }
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`)
