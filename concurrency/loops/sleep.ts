import { setTimeout as pause } from 'node:timers/promises'

/** Resolves after this many milliseconds, or when the signal is aborted. Never rejects. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {})
}
