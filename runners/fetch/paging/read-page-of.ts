import { readPage } from './page-facts.ts'
import type { PageAnswer, PagePaths, PageRead } from './page-facts.ts'

export interface ReadTask {
  readonly answer: PageAnswer
  readonly paths: PagePaths
  readonly number: number
}

/** The entry of the thread that reads large pages of lists (page-reader.ts). */
export function readPageOf({ answer, paths, number }: ReadTask): PageRead {
  return readPage(answer, paths, number)
}
