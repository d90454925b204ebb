import type { Page } from '../page.ts'

/** What a thread of the extractor is given, to read a page as something else than fields. */
export interface ReaderConfig {
  readonly method: 'reader'
  /** The URL of the module that the thread loads for it; the module is a `ThreadModule`. */
  readonly module: string
  /** The longest time in the thread for one page, in milliseconds. */
  readonly timeoutMs: number
  /** What the module is told beside the page. */
  readonly asked: unknown
}

/** The same for the caller, who knows what the thread returns. */
export interface ThreadReader<Read> extends Omit<ReaderConfig, 'method'> {
  isRead(value: unknown): value is Read
}

/** Pure and synchronous, because the page is untrusted. */
export interface ThreadModule {
  readonly read: (page: Page, asked: unknown) => unknown
}
