import { execFile } from 'node:child_process'
import { chmod, cp, lutimes, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type ArchitectureName, ARCHITECTURES, isArchitecture, OWN_ARCHITECTURE } from './architectures.ts'
import { addDebian, removeUnusedLibraries } from './debian-files.ts'
import { writeImageArchive } from './image-archive.ts'
import { installedFor } from './installed.ts'
import { addProgram, REPOSITORY } from './program-files.ts'
import { type ImageName, ROOT_FILE_SYSTEMS, type RootFileSystem, USER_ID } from './root-file-systems.ts'

const run = promisify(execFile)
/** The profile with which an engine lets browsers make their sandbox. */
const PROFILE = 'charts/tidemark/files/seccomp/chromium.json'

/** Makes the root file system of an image in `folder`, which must not exist. */
async function buildRoot(name: ImageName, folder: string, architecture: ArchitectureName): Promise<void> {
  const image: RootFileSystem = ROOT_FILE_SYSTEMS[name]
  await mkdir(dirname(folder), { recursive: true })
  await mkdir(folder)
  const versions = await addDebian(image, folder, architecture)
  await using installed = await installedFor(architecture, REPOSITORY)
  await addProgram(image, folder, installed, architecture)
  await removeUnusedLibraries(folder, architecture)
  await writeSystemFiles(folder, versions)
  await makeEqual(folder, await commitTime())
  for (const path of WRITABLE) await chmod(join(folder, path), 0o1777)
}

async function writeSystemFiles(folder: string, versions: readonly string[]): Promise<void> {
  await mkdir(join(folder, 'etc'), { recursive: true })
  const user = `tidemark:x:${USER_ID}:${USER_ID}`
  await writeFile(join(folder, 'etc/passwd'), `root:x:0:0:root:/:/none\n${user}:Tidemark:/tmp:/none\n`)
  await writeFile(join(folder, 'etc/group'), `root:x:0:\ntidemark:x:${USER_ID}:\n`)
  await writeFile(join(folder, 'etc/nsswitch.conf'), 'hosts: files dns\n')
  const own = join(folder, 'usr/share/tidemark')
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'debian-packages.txt'), `${versions.join('\n')}\n`)
  if (versions.some((version) => version.startsWith('chromium ')))
    await cp(join(REPOSITORY, PROFILE), join(own, 'chromium.json'))
  for (const path of [...WRITABLE, 'proc', 'sys', 'dev']) await mkdir(join(folder, path), { recursive: true })
}

/** Returns when the commit that is checked out was made, in seconds. */
async function commitTime(): Promise<number> {
  const { stdout } = await run('git', ['log', '-1', '--format=%ct'], { cwd: REPOSITORY })
  return Number(stdout.trim())
}

/** Folders that every user may write to. The last is for the socket between a service and its browser's container. */
const WRITABLE = ['tmp', 'data', 'run/browser']

/**
 * Gives all files the same time, and modes that do not depend on who builds: the same commit and the same packages give
 * the same image. Nothing in it has the rights of another user.
 */
async function makeEqual(folder: string, seconds: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await makeEqual(path, seconds)
    else {
      if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o111) === 0 ? 0o644 : 0o755)
      await lutimes(path, seconds, seconds)
    }
  }
  await chmod(folder, 0o755)
  await lutimes(folder, seconds, seconds)
}

const isImage = (text: string | undefined): text is ImageName =>
  text !== undefined && Object.hasOwn(ROOT_FILE_SYSTEMS, text)

interface ArchiveOptions {
  readonly name: ImageName
  readonly folder: string
  readonly architecture: ArchitectureName
  readonly isCompressed: boolean
}

/** Writes the image of a root file system into a file, as the Containerfiles say that it runs. */
async function buildArchive({ name, folder, ...options }: ArchiveOptions, file: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    readonly version: string
  }
  const user = `${USER_ID}:${USER_ID}`
  await writeImageArchive(
    folder,
    { name: `${name}:${version}`, ...ROOT_FILE_SYSTEMS[name].run, user, ...options },
    file,
  )
}

const { values, positionals } = parseArgs({
  options: { arch: { type: 'string', default: OWN_ARCHITECTURE }, compress: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [name, given, file] = positionals
if (!isImage(name) || given === undefined || !isArchitecture(values.arch)) {
  process.stderr.write(
    `usage: node images/build-root.ts ${Object.keys(ROOT_FILE_SYSTEMS).join('|')} FOLDER [ARCHIVE.tar]\n` +
      `  [--arch ${Object.keys(ARCHITECTURES).join('|')}] [--compress]\n` +
      'Makes the root file system of an image, of Debian’s packages, Node and this repository, and the image as\n' +
      'a file, which containerd and Docker load. Run npm ci first.\n',
  )
  process.exitCode = 2
} else {
  const folder = resolve(given)
  await buildRoot(name, folder, values.arch)
  const { stdout } = await run('du', ['-sm', folder])
  const { entrypoint, command } = ROOT_FILE_SYSTEMS[name].run
  process.stdout.write(`${folder}: ${stdout.split('\t', 1)[0]} MB; runs ${[...entrypoint, ...command].join(' ')}\n`)
  if (file !== undefined) {
    await buildArchive({ name, folder, architecture: values.arch, isCompressed: values.compress }, file)
    process.stdout.write(`${resolve(file)}: the image\n`)
  }
}
