import { isUuid } from '../../core/is-uuid.ts'
import type { Transaction } from '../../store/db/client.ts'
import { lockMonitor } from '../../store/monitors/monitor-edit.ts'
import { findDeclared, lockDeclared, lockResources } from '../../store/monitors/monitor-resource.ts'
import { findMonitor } from '../../store/monitors/monitors.ts'
import { lockStorage } from '../../store/quota/team-storage.ts'
import { lockUsage } from '../../store/quota/usage.ts'
import type { MonitorContext } from '../context.ts'
import { kindCalled } from '../kinds/kinds.ts'
import { isApplied } from './applied-state.ts'
import { isThere, targetOf } from './declaration-target.ts'
import type { ApplyOutcome, Declaration } from './declaration.ts'
import { declaredSpec } from './declared-spec.ts'
import { identityTaken } from './identity-taken.ts'
import { createDeclared, type Creation, editDeclared } from './write-declared.ts'

type Context = Pick<MonitorContext, 'store' | 'secrets' | 'wake'>

/**
 * Returns whether the record still is what the resource declares: nobody changed either behind the operator's back. It
 * only reads.
 */
export async function isAsDeclared(
  { store, secrets }: Pick<Context, 'store' | 'secrets'>,
  { teamId, resource, state, spec, suspend }: Omit<Declaration, 'actor' | 'userId' | 'adopts'>,
): Promise<boolean> {
  const declared = await findDeclared(store, resource)
  if (!declared || !isApplied(state, declared) || declared.last_request !== state.lastRequest) return false
  const kind = kindCalled(resource.kind)
  const stored = await findMonitor(store, teamId, declared.monitor_id, kind.table)
  if (stored === null || stored.suspended !== suspend) return false
  const before = kind.table.spec(stored, secrets)
  return kind.change(before, declaredSpec(kind, before, spec)).changed.length === 0
}

/**
 * Makes each record be what its custom resource declares: creates it, takes over an existing one, or edits it. All of
 * them, or none. Applying the same again changes nothing, so it may be repeated after any fault. Records that are only
 * to be created take a few statements together. Returns the outcomes in the same order.
 *
 * @param declarations of different resources
 */
export async function applyResources(
  context: Context,
  declarations: readonly Declaration[],
): Promise<readonly ApplyOutcome[]> {
  const outcomes = await context.store.transaction((tx) => applyAll(tx, context, declarations))
  if (outcomes.some((outcome) => outcome.kind === 'applied' && outcome.change !== 'unchanged')) context.wake()
  return outcomes
}

async function applyAll(
  tx: Transaction,
  { secrets }: Context,
  declarations: readonly Declaration[],
): Promise<readonly ApplyOutcome[]> {
  const asking = declarations.filter(({ state }) => state.lastRequest !== null).map(({ teamId }) => teamId)
  for (const teamId of [...new Set(asking)].toSorted()) await lockUsage(tx, teamId)
  const resources = declarations.map(({ resource }) => resource)
  await lockResources(tx, resources)
  const known = await lockDeclared(tx, resources)
  const outcomes = new Map<Declaration, ApplyOutcome>()
  const fresh: Creation[] = []
  await lockRoom(tx, declarations)
  for (const [index, declaration] of declarations.entries()) {
    const target = await targetOf(tx, declaration, known[index] ?? null)
    const taken = target.kind === 'target' ? await identityTaken(tx, declaration, target.stored) : null
    if (target.kind !== 'target') outcomes.set(declaration, target)
    else if (taken) outcomes.set(declaration, taken)
    else if (isThere(target)) outcomes.set(declaration, await editDeclared(tx, secrets, declaration, target))
    else fresh.push({ declaration, lastRequest: target.lastRequest })
  }
  const ofKinds = Map.groupBy(fresh, ({ declaration }) => declaration.resource.kind)
  for (const [kind, creations] of ofKinds)
    for (const [declaration, outcome] of await createDeclared(tx, secrets, kindCalled(kind), creations))
      outcomes.set(declaration, outcome)
  return declarations.map((declaration) => {
    const outcome = outcomes.get(declaration)
    if (!outcome) throw new Error('each declaration has an outcome')
    return outcome
  })
}

/** Locks what the teams store, after the monitors that are to be taken over, as an edit does (`lockStorage`). */
async function lockRoom(tx: Transaction, declarations: readonly Declaration[]): Promise<void> {
  for (const { teamId, resource, adopts } of declarations)
    if (adopts !== null && isUuid(adopts)) await lockMonitor(tx, teamId, adopts, kindCalled(resource.kind).table)
  await lockStorage(tx, [...new Set(declarations.map(({ teamId }) => teamId))])
}
