import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

// Runs after `npm ci`. The package of Node contains the headers for compiling addons: 61 MB that nothing here reads. If
// deleting them fails, the install still succeeds.
const home = join(import.meta.dirname, '../node_modules/node/node_modules')
for (const entry of await readdir(home, { withFileTypes: true }).catch(() => []))
  if (entry.isDirectory()) await rm(join(home, entry.name, 'include'), { recursive: true, force: true }).catch(() => {})
