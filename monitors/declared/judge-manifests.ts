import { ADOPT } from '../../core/custom-resource/annotations.ts'
import { keyOfIdentity } from '../../core/custom-resource/resource-name.ts'
import { isUuid } from '../../core/is-uuid.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { Manifest } from '../../manifests/manifest.ts'
import type { ManifestFault } from '../../manifests/places.ts'
import { faultsOf, resolveManifest } from '../../manifests/resolve-manifest.ts'
import type { SecretSource } from '../../manifests/secret-values.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import { joinPath } from '../../schema/validation/issue.ts'
import { specKindCalled } from '../kinds/spec-kinds.ts'

/** A valid manifest with the whole configuration that it declares. */
export interface JudgedManifest {
  readonly manifest: Manifest
  readonly spec: EverySpec
}

export interface Judging {
  readonly secrets: SecretSource
  /** The addresses that checks and deliveries may reach. */
  readonly egress: EgressPolicy
  /** True: what only a new configuration is refused for is a fault too. Default false. */
  readonly isNew?: boolean
  /** Returns the labels of a monitor beside those of its manifest. */
  labelsOf?(manifest: Manifest): Readonly<Record<string, string>>
}

const ADOPTS = joinPath('metadata.annotations', ADOPT)

/** The id of what a manifest takes over is looked up when it is applied. One that is not an id is never found. */
const adoptFaults = ({ adopts, placeOfKey }: Manifest): readonly ManifestFault[] =>
  adopts === null || isUuid(adopts)
    ? []
    : [
        {
          ...placeOfKey('metadata', 'annotations', ADOPT),
          path: ADOPTS,
          message: `${ADOPTS} must be the id of a monitor, as ./tidemark get -o wide shows it`,
        },
      ]

/**
 * Judges manifests as the API judges configurations. The code that applies or validates manifests calls it. It needs
 * neither a store nor a server, so it does not find what plans, teams and stored monitors refuse. Returns every fault.
 */
export function judgeManifests(manifests: readonly Manifest[], { secrets, egress, isNew = false, labelsOf }: Judging) {
  const valid: JudgedManifest[] = []
  const faults: ManifestFault[] = []
  for (const manifest of manifests) {
    const kind = specKindCalled(manifest.resource.declares)
    const { body, faults: unresolved, isUnknown } = resolveManifest(manifest, kind.definition, secrets)
    faults.push(...unresolved, ...(isNew ? adoptFaults(manifest) : []))
    const labels = { ...(body['labels'] as object), ...labelsOf?.(manifest) }
    const whole = { ...body, labels, external_key: keyOfIdentity(manifest) }
    const checked = kind.check(whole, { egress, isNew })
    if (checked.kind === 'invalid')
      faults.push(
        ...faultsOf(
          manifest,
          checked.issues.filter(({ path }) => !isUnknown(path)),
        ),
      )
    else if (unresolved.length === 0) valid.push({ manifest, spec: checked.spec })
  }
  return { valid, faults }
}
