import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { kubeAssets } from '../support/kubernetes/kube-assets.ts'
import { describeIf, forKubernetes } from '../support/run/skip.ts'

const run = promisify(execFile)
const PROGRAMS = ['helm', 'kubeconform', 'kube-score']

export const CHART = new URL('../../charts/tidemark/', import.meta.url).pathname
/** The values files that the chart ships, each with a golden file of its manifests. */
export const EXAMPLES = ['try-out', 'cluster', 'internal'] as const
export const valuesFile = (name: string): string => join(CHART, 'examples', `${name}.yaml`)

/** Whether the programs that judge a chart are beside the API server. */
function hasHelm(): boolean {
  const folder = kubeAssets()
  if (folder === null) return false
  return PROGRAMS.every((program) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** `describe` where these programs are. */
export const describeWithHelm = describeIf(
  hasHelm(),
  ...forKubernetes(`put ${PROGRAMS.join(', ')} into the folder of KUBEBUILDER_ASSETS`),
)

/** Runs one of the programs, and returns what it wrote, also when it failed. */
export async function program(
  name: 'helm' | 'kubeconform' | 'kube-score',
  ...args: readonly string[]
): Promise<{ readonly ok: boolean; readonly out: string }> {
  try {
    const { stdout } = await run(join(kubeAssets() ?? '', name), args, { maxBuffer: 64 * 1024 * 1024 })
    return { ok: true, out: stdout }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { ok: false, out: `${stdout}${stderr}` }
  }
}

/** Renders the chart with arguments of helm. */
export const render = (...args: readonly string[]) =>
  program('helm', 'template', 'tidemark', CHART, '-n', 'tidemark', '--kube-version', '1.34.10', ...args)

/** An object of a rendered chart. */
export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  // Kubernetes' own shapes; tests say what they expect of them.
  // oxlint-disable-next-line typescript/no-explicit-any
  spec?: any
  // oxlint-disable-next-line typescript/no-explicit-any
  data?: any
  // oxlint-disable-next-line typescript/no-explicit-any
  template?: any
  rules?: { resources?: string[]; verbs?: string[]; resourceNames?: string[] }[]
  subjects?: { namespace?: string }[]
}

/** Renders a values file, and returns its objects. Fails when it cannot be rendered. */
export async function manifestsOf(...args: readonly string[]): Promise<Manifest[]> {
  const { ok, out } = await render(...args)
  if (!ok) throw new Error(out)
  return manifestsIn(out)
}

/** Returns the objects of a rendered chart. */
export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)

/** Returns the template of the pods that an object makes; null when it makes none. */
export function podOf({
  kind,
  metadata,
  spec,
  template,
}: Manifest): { metadata: Manifest['metadata']; spec: PodSpec } | null {
  if (kind === 'Pod') return { metadata, spec }
  if (kind === 'PodTemplate') return template ?? null
  return spec?.template?.spec?.containers ? spec.template : null
}

/** What tests read of a pod. */
interface PodSpec {
  containers: Container[]
  initContainers?: Container[]
  imagePullSecrets?: object[]
  serviceAccountName?: string
  automountServiceAccountToken?: boolean
}

interface Container {
  name: string
  image?: string
  resources?: object
  args?: string[]
  env?: { name: string; value?: string }[]
  volumeMounts?: object[]
}
