import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { imageArchives } from './image-archives.ts'
import { oneNodeCluster, whyNoOneNodeCluster } from './one-node-cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    cluster: ClusterState
  }
}

/** A cluster to test in, or why there is none. */
type ClusterState =
  | { readonly ok: true; readonly kubeconfig: string; /** It runs on this machine. */ readonly isOneNode: boolean }
  | { readonly ok: false; readonly reason: string }

const run = promisify(execFile)

/**
 * Gives the tests a cluster (vitest's globalSetup): that of `KUBECONFIG`, or one of a node that is made here and ended
 * again. The images are built and loaded meanwhile, into a cluster of `KUBECONFIG` by the command in
 * `TIDEMARK_TEST_CLUSTER_LOAD`, such as `kind load image-archive`; without it they have to be there.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['KUBECONFIG']
  const load = process.env['TIDEMARK_TEST_CLUSTER_LOAD']?.split(' ').filter(Boolean)
  const folder = process.env['TIDEMARK_TEST_IMAGES'] ?? (await mkdtemp(join(tmpdir(), 'tidemark-cluster-')))
  const removeFolder = async () => {
    if (process.env['TIDEMARK_TEST_IMAGES'] === undefined) await rm(folder, { recursive: true, force: true })
  }
  if (given) {
    if (load) for (const file of await imageArchives(folder)) await run(load[0] ?? '', [...load.slice(1), file])
    project.provide('cluster', { ok: true, kubeconfig: given, isOneNode: false })
    return removeFolder
  }
  const reason = await whyNoOneNodeCluster()
  if (reason !== null) {
    project.provide('cluster', { ok: false, reason })
    return removeFolder
  }
  const cluster = oneNodeCluster()
  try {
    await mkdir(folder, { recursive: true })
    const [kubeconfig, files] = await Promise.all([cluster.up(), imageArchives(folder)])
    for (const file of files) await cluster.load(file)
    project.provide('cluster', { ok: true, kubeconfig, isOneNode: true })
  } catch (error) {
    await cluster.down()
    throw error
  }
  return async () => {
    if (process.env['TIDEMARK_TEST_CLUSTER_KEEP'] === undefined) await cluster.down()
    await removeFolder()
  }
}
