import { addressFilters } from '../parts/address-filters.ts'

/** What the searches are filtered by, as the API is asked, and as it stands in the address. */
export const { queryOf, useFilters } = addressFilters(['q', 'label', 'failing', 'unseen'])

export type SearchFilters = Parameters<typeof queryOf>[0]
