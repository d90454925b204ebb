import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { imageArchives } from './image-archives.ts'
import { startOneNodeCluster, whyNoOneNodeCluster } from './one-node-cluster.ts'
import { timed } from './timed.ts'

declare module 'vitest' {
  interface ProvidedContext {
    cluster: ClusterState
  }
}

/** A cluster to test in, or why there is none. */
type ClusterState =
  | {
      readonly ok: true
      readonly kubeconfig: string
      /** It runs on this machine, which is its only node. */
      readonly isOneNode: boolean
      /** Names this run of the tests: what another one left in the cluster is removed. */
      readonly run: string
      /** An empty home folder, for kubectl and helm. */
      readonly home: string
    }
  | { readonly ok: false; readonly reason: string }

const run = promisify(execFile)
const FOLDERS = 'tidemark-cluster-'
const NEW_MS = 60_000

/**
 * Gives the tests a cluster (vitest's globalSetup): that of `KUBECONFIG`, or one of a node that is made here and ended
 * again, unless `TIDEMARK_TEST_CLUSTER_KEEP` is set. The images are built and loaded meanwhile, into a cluster of
 * `KUBECONFIG` by the command in `TIDEMARK_TEST_CLUSTER_LOAD`, such as `kind load image-archive`; without it they have
 * to be there. `TIDEMARK_TEST_IMAGES` is a folder that keeps the archives of the images for the next run.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['KUBECONFIG']
  const reason = given ? null : await whyNoOneNodeCluster()
  if (reason !== null) {
    project.provide('cluster', { ok: false, reason })
    return async () => {}
  }
  await removeAbandoned()
  const own = await mkdtemp(join(tmpdir(), FOLDERS))
  await writeFile(join(own, 'process'), String(process.pid))
  const removeOwn = () => rm(own, { recursive: true, force: true })
  const images = process.env['TIDEMARK_TEST_IMAGES'] ?? join(own, 'images')
  const [home, name] = [join(own, 'home'), randomBytes(4).toString('hex')]
  const state = { ok: true, run: name, home } as const
  await Promise.all([images, home].map((folder) => mkdir(folder, { recursive: true })))
  try {
    if (given) {
      await loadByCommand(images)
      project.provide('cluster', { ...state, kubeconfig: given, isOneNode: false })
      return removeOwn
    }
    const keep = process.env['TIDEMARK_TEST_CLUSTER_KEEP'] !== undefined
    const starts = timed('the cluster is up', startOneNodeCluster(keep))
    const loads = imageArchives(images).map(async (file) => (await starts).load(await file))
    const cluster = await bothOrNone(starts, timed('the images are there', Promise.all(loads)))
    project.provide('cluster', { ...state, kubeconfig: cluster.kubeconfig, isOneNode: true })
    return async () => {
      await (keep ? cluster.leave() : cluster.end())
      await removeOwn()
    }
  } catch (error) {
    await removeOwn()
    throw error
  }
}

async function loadByCommand(images: string): Promise<void> {
  const [program, ...args] = process.env['TIDEMARK_TEST_CLUSTER_LOAD']?.split(' ').filter(Boolean) ?? []
  if (program === undefined) return
  for (const file of await timed('the images are made', Promise.all(imageArchives(images))))
    await timed(`${basename(file)} is loaded`, run(program, [...args, file]))
}

/** Returns the cluster once it has the images. Ends it when it cannot have them. */
async function bothOrNone<C extends { end(): Promise<void> }>(starts: Promise<C>, loads: Promise<unknown>): Promise<C> {
  const [cluster, loaded] = await Promise.allSettled([starts, loads])
  if (cluster.status === 'rejected') throw cluster.reason
  if (loaded.status === 'fulfilled') return cluster.value
  await cluster.value.end()
  throw loaded.reason
}

/** Removes the folders of runs that were killed: each has the images, more than a gigabyte. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(FOLDERS)) continue
    const folder = join(tmpdir(), name)
    const pid = await readFile(join(folder, 'process'), 'utf8').catch(() => 'none')
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    const { mtimeMs } = await stat(folder)
    // One that was made a moment ago does not name its process yet.
    const isNew = pid === 'none' && Date.now() - mtimeMs < NEW_MS
    if (!isNew && !line.includes('vitest')) await rm(folder, { recursive: true, force: true })
  }
}
