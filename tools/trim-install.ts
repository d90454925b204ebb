import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

// Runs after `npm ci`, and deletes what nothing here reads: the headers in the package of Node, which are for compiling
// addons (61 MB), and the source maps of the Kubernetes client (10 MB). If deleting fails, the install still succeeds.
const home = join(import.meta.dirname, '../node_modules/node/node_modules')
for (const entry of await readdir(home, { withFileTypes: true }).catch(() => []))
  if (entry.isDirectory()) await rm(join(home, entry.name, 'include'), { recursive: true, force: true }).catch(() => {})

const kubernetes = join(import.meta.dirname, '../node_modules/@kubernetes/client-node/dist')
for (const name of await readdir(kubernetes, { recursive: true }).catch(() => []))
  if (name.endsWith('.map')) await rm(join(kubernetes, name), { force: true }).catch(() => {})
