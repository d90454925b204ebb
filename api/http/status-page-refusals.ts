import type { ManyStatusPages, PageConflict, Published } from '../../accounts/status-pages.ts'
import { forbidden } from '../auth/policies.ts'
import { apiError, type ApiError } from './api-error.ts'

const TAKEN = 'is taken by another status page of this installation'
const CHANGED = 'was changed after you read it'

/** Returns the error that answers a refusal of a status page. */
export function statusPageRefusal(refusal: ManyStatusPages | PageConflict | Published): ApiError {
  switch (refusal.kind) {
    case 'many_status_pages':
      return apiError(
        'CONFLICT',
        `A team can have ${refusal.limit} status pages. Delete one that is not used any more.`,
      )
    case 'page_conflict':
      return refusal.why === 'changed'
        ? apiError('CONFLICT', `The page ${CHANGED}. Nothing was done. Look at it again.`, [
            { path: refusal.path, message: CHANGED },
          ])
        : apiError('CONFLICT', `The slug ${TAKEN}. Choose another one.`, [{ path: 'slug', message: TAKEN }])
    case 'published':
      return forbidden('The page is published, so that you may not change what everybody sees', 'status.publish')
  }
}
