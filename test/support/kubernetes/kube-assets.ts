import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { describeIf, forKubernetes } from '../run/skip.ts'

const PROGRAMS = ['etcd', 'kube-apiserver', 'kubectl']

/** The folder with etcd, kube-apiserver and kubectl, or null. */
export function kubeAssets(): string | null {
  const folder = process.env['TIDEMARK_TEST_KUBE_ASSETS'] || process.env['KUBEBUILDER_ASSETS']
  return folder && PROGRAMS.every((program) => isExecutable(join(folder, program))) ? folder : null
}

/** `describe` where there is an API server. */
export const describeWithApiServer = describeIf(
  kubeAssets() !== null,
  ...forKubernetes(`set KUBEBUILDER_ASSETS to a folder that holds ${PROGRAMS.join(', ')}`),
)

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
