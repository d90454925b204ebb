import type { Invalid } from '../../core/outcome.ts'
import { recordAudits } from '../../store/accounts/audit.ts'
import type { Transaction } from '../../store/db/client.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import { insertMonitors } from '../../store/monitors/monitor-create.ts'
import { managerOf, saveDeclared, setSuspended, takeOver } from '../../store/monitors/monitor-resource.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { unsentHeaderIssues } from '../check/unsent-headers.ts'
import { auditedAs } from '../context.ts'
import { changeSpec } from '../edit-monitor.ts'
import type { Kind } from '../kinds/kind.ts'
import { kindCalled } from '../kinds/kinds.ts'
import { laterKeysIn } from '../later-keys.ts'
import { notStored, overDeliveryCap, overDeliveryCaps, type OverStorage } from '../outcome.ts'
import { run, type RunOutcome } from '../run-monitor.ts'
import type { Target } from './declaration-target.ts'
import { type ApplyOutcome, type Declaration, origin } from './declaration.ts'
import { declaredSpec } from './declared-spec.ts'

/** A resource whose record is to be created. */
export interface Creation {
  readonly declaration: Declaration
  readonly lastRequest: string | null
}

/** Creates the records of resources of one kind, in a few statements. Returns an outcome for each declaration. */
export async function createDeclared(
  tx: Transaction,
  secrets: SecretBox,
  kind: Kind,
  creations: readonly Creation[],
): Promise<ReadonlyMap<Declaration, ApplyOutcome>> {
  const outcomes = new Map<Declaration, ApplyOutcome>()
  const ofTeams = Map.groupBy(creations, ({ declaration }) => declaration.teamId)
  for (const [teamId, ofTeam] of ofTeams) {
    const specs = ofTeam.map(({ declaration }) => declaration.spec)
    for (const [index, over] of (await overDeliveryCaps(tx, teamId, specs)).entries()) {
      const creation = ofTeam[index]
      if (over && creation) outcomes.set(creation.declaration, over)
    }
  }
  for (const { declaration } of creations) {
    const invalid = unsent(declaration)
    if (invalid) outcomes.set(declaration, invalid)
  }
  const allowed = creations.filter(({ declaration }) => !outcomes.has(declaration))
  if (allowed.length === 0) return outcomes
  const records = allowed.map(({ declaration: { teamId, userId, resource, spec, suspend } }) => ({
    teamId,
    userId,
    spec,
    declared: { by: managerOf(resource), suspended: suspend },
  }))
  const monitors = await insertMonitors(tx, secrets, kind.table, records)
  const made: (Creation & { readonly monitor: EveryRow })[] = []
  for (const [index, creation] of allowed.entries()) {
    const monitor = monitors[index]
    if (monitor) made.push({ ...creation, monitor })
    else outcomes.set(creation.declaration, await noRoom(tx, creation.declaration))
  }
  await recordAudits(
    tx,
    made.map(({ monitor: { id, name }, declaration: { teamId, actor, resource } }) => ({
      teamId,
      actor,
      action: auditedAs(kind, 'created'),
      target: { id, label: name },
      metadata: origin(resource),
    })),
  )
  await saveDeclared(
    tx,
    made.map(({ monitor: { no }, declaration: { resource, state } }) => ({ no, resource, state })),
  )
  for (const { declaration, lastRequest, monitor } of made) {
    const requested = await runRequested(tx, monitor.id, declaration, lastRequest)
    outcomes.set(declaration, { kind: 'applied', change: 'created', monitor, requested })
  }
  return outcomes
}

/** Returns why destinations cannot be saved: they have headers that are never sent. Those stored before are kept. */
function unsent({ spec }: Declaration): Invalid | null {
  const issues = unsentHeaderIssues(spec.deliveries)
  return issues.length > 0 ? { kind: 'invalid', issues } : null
}

async function noRoom(tx: Transaction, { teamId }: Declaration): Promise<OverStorage> {
  const why = await notStored(tx, teamId)
  if (why.kind === 'not_found') throw new Error(`there is no team ${teamId}`)
  return why
}

/** Makes an existing record be what its resource declares. */
export async function editDeclared(
  tx: Transaction,
  secrets: SecretBox,
  declaration: Declaration,
  { stored, isDeclared, lastRequest }: Target & { readonly stored: EveryRow },
): Promise<ApplyOutcome> {
  const { teamId, actor, resource, state, spec, suspend } = declaration
  const kind = kindCalled(resource.kind)
  const over = await overDeliveryCap(tx, teamId, spec)
  if (over) return over
  const before = kind.table.spec(stored, secrets)
  const declared = declaredSpec(kind, before, spec)
  const { changed } = kind.change(before, declared)
  // A manifest declares the whole configuration, so it would end each key that it cannot say.
  const keys = changed.length > 0 ? Object.keys(before) : []
  const later = laterKeysIn({ definition: kind.definition, stored, spec: before, keys })
  if (later) return later
  const invalid = changed.includes('deliveries') ? unsent(declaration) : null
  if (invalid) return invalid
  const edition = { teamId, actor, stored, spec: declared, metadata: origin(resource) }
  const monitor = await changeSpec(tx, secrets, kind, edition)
  if (monitor === null) return noRoom(tx, declaration)
  if (!isDeclared) await takeOver(tx, monitor.no, resource)
  await saveDeclared(tx, [{ no: monitor.no, resource, state }])
  const isSettled = monitor.suspended === suspend
  if (!isSettled) await setSuspended(tx, monitor.no, suspend)
  const requested = await runRequested(tx, monitor.id, declaration, lastRequest)
  const isSame = monitor === stored && isSettled
  const change = isDeclared ? (isSame ? 'unchanged' : 'updated') : 'adopted'
  return { kind: 'applied', change, monitor, requested }
}

/** Follows the annotation that asks for a run: each new value of it causes one, or is refused, and is handled then. */
async function runRequested(
  tx: Transaction,
  id: string,
  { teamId, actor, state, resource }: Declaration,
  lastRequest: string | null,
): Promise<RunOutcome | null> {
  if (state.lastRequest === null || state.lastRequest === lastRequest) return null
  return run(tx, kindCalled(resource.kind), { teamId, actor, id })
}
