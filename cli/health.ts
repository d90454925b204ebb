import { sql } from 'slonik'
import Type from 'typebox'
import type { Registry } from 'prom-client'
import type { Health } from '../api/health.ts'
import type { Store } from '../store/client.ts'
import { row } from '../store/row.ts'

/** The scheduler counts as moving while its last claim is younger than this. */
const MOVING_MS = 15_000
/** An answer about readiness comes within this time, whatever the store does. */
const ANSWER_MS = 3_000

const one = row({ migrated: Type.Boolean() })

/** Health of a process: its store, and its scheduler where it has one. */
export function createHealth({ store, registry, sinceProgress }: { store: Store; registry: Registry; sinceProgress: (() => number) | null }): Health {
  return {
    async ready() {
      const [reachable, moving] = [await storeAnswers(store), sinceProgress === null ? null : sinceProgress() < MOVING_MS]
      const checks = { store: reachable, ...(moving !== null && { scheduler: moving ? 'moving' : 'stuck' }) }
      return { ok: reachable === 'migrated' && moving !== false, checks }
    },
    metrics: () => registry.metrics(),
  }
}

async function storeAnswers(store: Store): Promise<'migrated' | 'not_migrated' | 'unreachable'> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the store did not answer in time')), ANSWER_MS)
  try {
    const asked = store.one(sql.type(one)`select to_regclass('checks') is not null and to_regclass('deliveries') is not null as migrated`)
    const { migrated } = await Promise.race([asked, late.promise])
    return migrated ? 'migrated' : 'not_migrated'
  } catch {
    return 'unreachable'
  } finally {
    clearTimeout(timer)
  }
}
