import type { ManyStatusPages, Published, SlugTaken } from '../../accounts/status-pages.ts'
import { forbidden } from '../auth/policies.ts'
import { apiError, type ApiError } from './api-error.ts'

const TAKEN = 'is taken by another status page of this installation'

/** Returns the error that answers a refusal of a status page. */
export function statusPageRefusal(refusal: ManyStatusPages | SlugTaken | Published): ApiError {
  switch (refusal.kind) {
    case 'many_status_pages':
      return apiError(
        'CONFLICT',
        `A team can have ${refusal.limit} status pages. Delete one that is not used any more.`,
      )
    case 'slug_taken':
      return apiError('CONFLICT', `The slug ${TAKEN}. Choose another one.`, [{ path: 'slug', message: TAKEN }])
    case 'published':
      return forbidden('The page is published, so that you may not change what everybody sees', 'status.publish')
  }
}
