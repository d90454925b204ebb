import { type ApiError, apiError } from '../../http/api-error.ts'

/** Another team's, a deleted one, and one that never was: alike. */
export const noSuchMonitor = (): ApiError => apiError('NOT_FOUND', 'There is no such monitor.')

/** One writer a record: what a manifest owns is edited and deleted there. */
export function refuseManaged(stored: { readonly managed_by: string; readonly name: string }): void {
  if (stored.managed_by !== 'kubernetes') return
  throw apiError(
    'CONFLICT',
    `The monitor "${stored.name}" is managed by a Kubernetes resource: change or delete it there.`,
  )
}

/** Only a plan sync unlocks. `what` completes "cannot be …". */
export const locked = (what: string): ApiError =>
  apiError(
    'FORBIDDEN',
    `A monitor that is locked by billing cannot be ${what}. The owner can choose a plan, which unlocks it.`,
  )
