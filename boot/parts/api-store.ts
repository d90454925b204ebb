import type { Logger } from '../../core/logger.ts'
import { openStore, type Store } from '../../store/db/client.ts'

/**
 * Opens the store as the API uses it. A person waits for the answer, so a statement that takes longer than this fails.
 * The health check of the store may take two seconds more, so a Postgres that freezes under open connections is
 * reported within 8 seconds.
 */
export const openApiStore = (url: string, log?: Logger): Promise<Store> =>
  openStore({ url, log, name: 'tidemark api', connections: 16, connectTimeoutMs: 2_000, statementTimeoutMs: 5_000 })
