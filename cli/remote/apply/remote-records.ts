import { randomUUID } from 'node:crypto'
import type { ManifestFault } from '../../../manifests/places.ts'
import { faultsOf } from '../../../manifests/resolve-manifest.ts'
import type { DeclaredRecords } from '../../../monitors/declared/apply-plan.ts'
import { exitCode } from '../../exit-codes.ts'
import { listPath } from '../records.ts'
import type { RemoteClient } from '../remote-client.ts'
import { RemoteError } from '../remote-error.ts'
import { inLines } from './read-input.ts'
import { comparedWith, type DeleteStep, faultOf, type Step, type WriteStep } from './steps.ts'

/** What of a record is asked for after a step. */
interface Carried {
  readonly id: string
  readonly warnings?: readonly string[]
}

/** Hears of each step. */
export interface StepListener {
  /** May throw, so that nothing more is done. */
  begins(step: Step): void
  done(step: Step, carried: Carried): void
  refused(step: Step, error: RemoteError): void
}

interface RemoteOptions {
  /** The label of the records that are deleted when no manifest declares them. Null: none is. */
  readonly prunes: Readonly<Record<string, string>> | null
  readonly listener: StepListener
}

/** Returns the records of a server as manifests declare them. */
export function createRemoteRecords(
  client: RemoteClient,
  { prunes, listener }: RemoteOptions,
): DeclaredRecords<WriteStep, DeleteStep> {
  async function carryOut(step: Step): Promise<boolean> {
    listener.begins(step)
    try {
      listener.done(step, await send(client, step))
      return true
    } catch (error) {
      // Any other error holds for the rest too.
      if (!(error instanceof RemoteError) || error.exitCode !== exitCode('failed')) throw error
      listener.refused(step, error)
      return false
    }
  }
  return {
    compare: (manifests) => comparedWith(client, manifests, prunes),
    async write(steps) {
      const faults: ManifestFault[] = []
      for (const step of steps) if (!(await carryOut(step))) faults.push(faultOf(step, 'was not applied'))
      return faults
    },
    end: carryOut,
  }
}

/** Makes a record be what a step says. Returns it with what the server warns of. */
async function send(client: RemoteClient, step: Step): Promise<Carried> {
  const path = listPath(step.kind)
  if (step.action === 'delete') {
    await client.text({ method: 'DELETE', path: `${path}/${step.id}` })
    return { id: step.id }
  }
  if (step.action === 'keep') return { id: step.id }
  const { manifest, spec } = step
  try {
    if (step.action === 'create') {
      const headers = { 'idempotency-key': randomUUID() }
      const query = manifest.suspend ? { paused: 'true' } : {}
      return await client.json<Carried>({ method: 'POST', path, query, body: spec, headers })
    }
    // It is resumed first: the label that says so must not be gone while the monitor is still paused.
    const at = `${path}/${step.id}`
    if (step.pausing === 'resume') await client.text({ method: 'POST', path: `${at}/resume` })
    const changed =
      step.differences.length > 0 ? await client.json<Carried>({ method: 'PATCH', path: at, body: step.patch }) : null
    if (step.pausing === 'pause') await client.text({ method: 'POST', path: `${at}/pause` })
    return changed ?? { id: step.id }
  } catch (error) {
    if (!(error instanceof RemoteError) || error.issues.length === 0) throw error
    const faults = inLines('the server refuses it:', faultsOf(manifest, error.issues))
    throw new RemoteError(faults, 'failed', error.status, { advice: error.advice })
  }
}
