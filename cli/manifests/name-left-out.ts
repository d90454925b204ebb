import { printable } from '../../core/printable.ts'
import type { readManifests } from '../../manifests/read-manifests.ts'
import { tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'

/** Names the documents of other kinds on standard error. */
export function nameLeftOut(io: ProcessIo, skipped: ReturnType<typeof readManifests>['skipped']): void {
  if (skipped.length === 0) return
  const names = skipped.map(({ kind, name }) => `${kind}${name === null ? '' : ` ${name}`}`)
  tell(io, `tidemark: left out, being no monitors: ${printable(names.join(', '))}\n`)
}
