import { egressPolicy } from '../../boot/parts/egress.ts'
import { readSettings } from '../../boot/settings/read-config.ts'
import { printable } from '../../core/printable.ts'
import { inOrder } from '../../manifests/in-order.ts'
import { namespaceRemarks } from '../../manifests/namespace-remarks.ts'
import type { ManifestFault } from '../../manifests/places.ts'
import { faultsOf } from '../../manifests/resolve-manifest.ts'
import { declaredWarnings } from '../../monitors/check/declared-warnings.ts'
import { judgeInput } from '../../monitors/declared/judge-input.ts'
import { specKindCalled } from '../../monitors/kinds/spec-kinds.ts'
import { print } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { exitCode } from '../exit-codes.ts'
import { nameLeftOut } from '../manifests/name-left-out.ts'
import { readSecrets } from '../manifests/read-secrets.ts'
import { readTexts } from '../manifests/read-texts.ts'
import { coloured, formOf, isForPrograms, type OutputOptions, printData } from '../output.ts'
import { RemoteError } from '../remote/remote-error.ts'

/** The options of `tidemark validate`. */
export interface ValidateFlags extends OutputOptions {
  /** Files, folders, or `-`. */
  readonly filename?: readonly string[]
  /** A file with Secrets. */
  readonly secrets?: string
  /** The cluster has the Secrets, so none of them is missing here. */
  readonly clusterSecrets?: boolean
}

/** Shows everything that is wrong with manifests. The exit code says whether anything is. */
export async function validate(io: ProcessIo, flags: ValidateFlags): Promise<void> {
  const egress = egressPolicy(readSettings(io.env))
  const { texts, faults: unread } = await readTexts(io, flags.filename)
  const { secretsOf, faults: unreadSecrets } = await readSecrets(io, flags.secrets)
  const { manifests, valid, namespaces, skipped, ...judged } = judgeInput({
    texts,
    unread: [...unread, ...unreadSecrets],
    secretsOf: (own) => (flags.clusterSecrets ? { ...secretsOf(own), waysToGive: () => null } : secretsOf(own)),
    refusesEmpty: true,
    egress,
    isNew: true,
  })
  const { faults: misnamed, warnings } = namespaceRemarks(manifests, namespaces)
  const declared = valid.flatMap(({ manifest, spec }) =>
    faultsOf(manifest, declaredWarnings(specKindCalled(manifest.resource.declares), spec)),
  )
  const faults = inOrder([...judged.faults, ...misnamed], texts)
  if (faults.length === 0 && manifests.length === 0)
    throw new RemoteError(`there is no Monitor and no SerpMonitor in ${flags.filename?.join(', ')}`, 'usage')
  nameLeftOut(
    io,
    skipped.filter(({ kind }) => kind !== 'Namespace'),
  )
  await show(io, flags, { faults, warnings: inOrder([...warnings, ...declared], texts), manifests: manifests.length })
  if (faults.length > 0) io.exitCode = exitCode('failed')
}

interface Found {
  readonly faults: readonly ManifestFault[]
  readonly warnings: readonly ManifestFault[]
  readonly manifests: number
}

async function show(io: ProcessIo, flags: OutputOptions, { faults, warnings, manifests }: Found): Promise<void> {
  const form = formOf(flags)
  if (isForPrograms(form)) return printData(io, form, { valid: faults.length === 0, manifests, faults, warnings })
  for (const warning of warnings)
    print(io, `${lineOf(warning, coloured(io, { text: 'warning: ', colour: 'waiting' }))}\n`)
  for (const fault of faults) print(io, `${lineOf(fault)}\n`)
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`
  if (faults.length > 0) print(io, `${coloured(io, { text: count, colour: 'bad' })}\n`)
  else print(io, `${manifests === 1 ? '1 manifest is' : `${manifests} manifests are`} valid\n`)
}

/** Returns a line as compilers write it, from which editors open the file. */
const lineOf = ({ file, line, column, message }: ManifestFault, before = '') =>
  `${printable(`${file}:${line}:${column}`)}: ${before}${printable(message)}`
