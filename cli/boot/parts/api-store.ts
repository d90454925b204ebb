import { openStore, type Store } from '../../../store/db/client.ts'

/**
 * The store as the API uses it: a person waits, so what takes longer than this has failed. With the two seconds that
 * the store's word of it may take, a Postgres that freezes under open connections is told within 8 seconds.
 */
export const openApiStore = (url: string): Promise<Store> =>
  openStore({ url, name: 'tidemark api', connections: 16, connectTimeoutMs: 2_000, statementTimeoutMs: 5_000 })
