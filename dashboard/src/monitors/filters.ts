import { addressFilters } from '../parts/address-filters.ts'

/** What the list is filtered and ordered by, as the API is asked, and as it stands in the address. */
export const { queryOf, useFilters } = addressFilters([
  'q',
  'kind',
  'status',
  'failing',
  'unseen',
  'muted',
  'error_code',
  'label',
  'managed_by',
  'locked',
  'sort',
])

export type Filters = Parameters<typeof queryOf>[0]
