import type { ManyStatusPages, PageChanged, Published, SlugTaken } from '../../accounts/status-pages.ts'
import { forbidden } from '../auth/policies.ts'
import { apiError, type ApiError } from './api-error.ts'

const TAKEN = 'is taken by another status page of this installation'

/** Returns the error that answers a refusal of a status page. */
export function statusPageRefusal(refusal: ManyStatusPages | SlugTaken | Published | PageChanged): ApiError {
  switch (refusal.kind) {
    case 'many_status_pages':
      return apiError(
        'CONFLICT',
        `A team can have ${refusal.limit} status pages. Delete one that is not used any more.`,
      )
    case 'slug_taken':
      return apiError('CONFLICT', `The slug ${TAKEN}. Choose another one.`, [{ path: 'slug', message: TAKEN }])
    case 'page_changed':
      return apiError('CONFLICT', 'The page was changed after you read it. Nothing was done. Look at it again.', [
        { path: 'updated_at', message: 'is not that of the page now' },
      ])
    case 'published':
      return forbidden('The page is published, so that you may not change what everybody sees', 'status.publish')
  }
}
