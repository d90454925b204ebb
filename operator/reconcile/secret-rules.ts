import { READ_BY_MONITORS } from '../../core/custom-resource/annotations.ts'
import { SETUP_LABELS } from '../cluster/ensured-secret.ts'
import type { KubeObject } from '../cluster/kube-object.ts'
import { RUNNERS } from '../runners/runner-job.ts'

/** Which Secrets resources may read. */
export interface SecretRules {
  /** Only those with the label. In the namespace of the installation that holds whatever is said here. */
  readonly requireLabel: boolean
  /** The names of the installation's own Secrets, in its namespace. No resource reads them, whatever their labels. */
  readonly own: readonly string[]
}

/** A Secret as the API server has it. */
export interface SecretObject extends KubeObject {
  readonly type?: string
  readonly data?: Readonly<Record<string, string>>
}

/** Why an existing Secret is not read: it belongs to the installation, or it does not agree. */
export type Withheld = 'own' | 'unlabelled'

/** Returns what judges Secrets by the rules. `installation` is the namespace of the installation. */
export function createSecretRules({ requireLabel, own }: SecretRules, installation: string) {
  const names = new Set(own)
  return {
    /** Whether a Secret is known as the installation's by its name, so that it is not even asked for. */
    isOwnName: (namespace: string, name: string): boolean => namespace === installation && names.has(name),
    withheld(namespace: string, secret: SecretObject): Withheld | null {
      // In any namespace: that of Helm's Secrets need not be that of the installation, and there may be two of them.
      if (isOfInstallation(secret)) return 'own'
      if (!requireLabel && namespace !== installation) return null
      return secret.metadata.labels?.[READ_BY_MONITORS] === 'true' ? null : 'unlabelled'
    },
  }
}

/**
 * Whether a Secret was made by the setup, for a runner, or by Helm, whose Secrets have all values of a release. Who may
 * change labels of a Secret may read it anyway: the API server answers with the whole object.
 */
function isOfInstallation({ metadata: { labels = {} }, type = '' }: SecretObject): boolean {
  const isOfSetup = Object.entries(SETUP_LABELS).every(([name, value]) => labels[name] === value)
  return isOfSetup || labels[RUNNERS] !== undefined || type.startsWith('helm.sh/')
}
