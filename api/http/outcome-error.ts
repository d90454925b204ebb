import type { Invalid, NotFound } from '../../core/outcome.ts'
import type { Managed, OverCap } from '../../monitors/outcome.ts'
import { type ApiError, apiError } from './api-error.ts'
import { validationError } from './validation-error.ts'

/** What a use case returns when it refuses. */
export type Refusal = NotFound | Invalid | Managed | OverCap

const NOUNS = {
  monitor: 'monitor',
  template: 'template',
  run: 'run',
  delivery: 'delivery',
  api_key: 'API key',
} as const satisfies Record<NotFound['what'], string>

/** Returns the 404 of a record that the team does not have. */
export const noSuch = (what: NotFound['what']): ApiError => apiError('NOT_FOUND', `There is no such ${NOUNS[what]}.`)

/** Returns what a use case did. Throws the error that answers its refusal. */
export function doneOf<D extends { readonly kind: 'done' }>(outcome: D | Refusal): D {
  if (outcome.kind !== 'done') throw outcomeError(outcome)
  return outcome
}

/** Returns the error that answers a refusal. */
export function outcomeError(refusal: Refusal): ApiError {
  switch (refusal.kind) {
    case 'not_found':
      return noSuch(refusal.what)
    case 'invalid':
      return validationError('body', refusal.issues)
    case 'managed':
      return apiError(
        'CONFLICT',
        `The monitor "${refusal.name}" is managed by a Kubernetes resource: change or delete it there.`,
      )
    case 'over_cap': {
      const { tier, cap, wanted } = refusal
      const allowed = `${cap} ${cap === 1 ? 'delivery' : 'deliveries'}`
      return apiError(
        'TIER_LIMIT_EXCEEDED',
        `The plan ${tier} allows ${allowed} a monitor; this one would have ${wanted}.`,
        [{ path: 'deliveries', limit: cap, tier }],
      )
    }
  }
}
