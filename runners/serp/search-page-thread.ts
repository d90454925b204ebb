import type { Page } from '../extract/page.ts'
import { readSearchPage } from './read-search-page.ts'
import type { SearchPage, SentPage } from './search-page.ts'

/** What a thread of the extractor runs for `searchPageReader`. */
export const read = ({ body, contentType }: Page, sent: SentPage): SearchPage => readSearchPage(body, contentType, sent)
