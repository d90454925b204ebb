import { type ApiError, apiError } from '../../http/api-error.ts'

/** Another team's, one that retention hides, and one that never was: alike. */
export const noSuchDelivery = (): ApiError => apiError('NOT_FOUND', 'There is no such delivery.')
