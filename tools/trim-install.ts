import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

// After `npm ci`: the package of Node brings the headers for compiling addons, 61 MB that nothing here reads.
const home = join(import.meta.dirname, '../node_modules/node/node_modules')
for (const name of await readdir(home).catch(() => []))
  await rm(join(home, name, 'include'), { recursive: true, force: true })
