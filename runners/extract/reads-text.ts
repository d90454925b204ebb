import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'

/** Returns whether a whole page is compared by its readable text, and not by what was sent. */
export const readsText = (config: ExtractConfig): boolean =>
  config.method === 'full_page' && (config.ignore !== undefined || Object.keys(config.clean ?? {}).length > 0)
