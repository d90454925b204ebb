import { createHmac, type KeyObject } from 'node:crypto'
import type { AppliedState, DeclaredRow } from '../../store/monitors/monitor-resource.ts'

/** Returns the hash of what a resource declares. The key makes it useless to a person who reads the database. */
export const hashOf = (key: Buffer | KeyObject, declared: readonly unknown[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(declared)).digest()

/** Returns whether a record is what its resource declares, and no run is asked for that was not begun. */
export const isApplied = (
  { uid, generation, hash, lastRequest }: Omit<AppliedState, 'file'>,
  record: Pick<DeclaredRow, 'uid' | 'generation' | 'hash' | 'last_request'>,
): boolean =>
  record.uid === uid &&
  record.generation === generation &&
  record.hash.equals(hash) &&
  (lastRequest === null || record.last_request === lastRequest)
