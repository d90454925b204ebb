import { execFile } from 'node:child_process'
import { chmod, cp, lutimes, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { writeImageArchive } from './image-archive.ts'
import { npmClosure } from './npm-closure.ts'
import {
  ENTRYPOINT,
  type ImageName,
  LEFT_OUT,
  ROOT_FILE_SYSTEMS,
  type RootFileSystem,
  USER_ID,
} from './root-file-systems.ts'

const run = promisify(execFile)
const REPOSITORY = resolve(import.meta.dirname, '..')
const APP = 'opt/tidemark'

/** What a container does not need: documents, and every program of Debian, shells and package managers among them. */
const REMOVED = [
  'bin',
  'sbin',
  'usr/bin',
  'usr/sbin',
  'usr/local',
  'usr/games',
  'var',
  'boot',
  'home',
  'media',
  'mnt',
  'srv',
  ...below('usr/share', 'doc man info lintian locale bash-completion bug menu applications icons perl perl5'),
  ...below('usr/lib', 'apt dpkg x86_64-linux-gnu/perl x86_64-linux-gnu/perl-base'),
  ...below('etc', 'apt dpkg perl alternatives cron.daily default init.d kernel logrotate.d systemd'),
]

function below(folder: string, names: string): string[] {
  return names.split(' ').map((name) => `${folder}/${name}`)
}

/** Makes the root file system of an image in `folder`, which must not exist. */
async function buildRoot(name: ImageName, folder: string): Promise<void> {
  const image: RootFileSystem = ROOT_FILE_SYSTEMS[name]
  await mkdir(dirname(folder), { recursive: true })
  await mkdir(folder)
  const versions = await unpackDebian(image.debian, folder)
  const kept = await Promise.all(
    image.programs.map(async (path) => ({ path, bytes: await readFile(join(folder, path)) })),
  )
  for (const path of REMOVED) await rm(join(folder, path), { recursive: true, force: true })
  for (const { path, bytes } of kept) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), bytes, { mode: 0o755 })
  }
  await copyProgram(image, folder)
  await writeSystemFiles(folder, versions)
  await makeEqual(folder, await commitTime())
  for (const path of WRITABLE) await chmod(join(folder, path), 0o1777)
}

/** Unpacks packages and what they depend on. No script of a package runs. Returns their names with their versions. */
async function unpackDebian(names: readonly string[], folder: string): Promise<readonly string[]> {
  const cache = await mkdtemp(join(tmpdir(), 'tidemark-debian-'))
  try {
    await mkdir(join(cache, 'archives/partial'), { recursive: true })
    await writeFile(join(cache, 'status'), '')
    await chmod(cache, 0o755)
    // An empty list of installed packages: the dependencies do not depend on this machine.
    const options = [`Dir::State::status=${cache}/status`, `Dir::Cache::archives=${cache}/archives`]
    await run('apt-get', [
      ...options.flatMap((option) => ['-o', option]),
      '-y',
      '-q',
      '--no-install-recommends',
      '--download-only',
      'install',
      ...names,
    ])
    const files = (await readdir(join(cache, 'archives'))).filter((file) => file.endsWith('.deb')).toSorted()
    for (const file of files) await run('dpkg-deb', ['--extract', join(cache, 'archives', file), folder])
    return files.map((file) => decodeURIComponent(file.replace(/_[^_]*\.deb$/, '').replace('_', ' ')))
  } finally {
    await rm(cache, { recursive: true, force: true })
  }
}

/** Copies Node, the folders of the repository, what was built, and the packages of npm. */
async function copyProgram({ folders, built, npm }: RootFileSystem, folder: string): Promise<void> {
  await mkdir(join(folder, 'usr/local/bin'), { recursive: true })
  await cp(process.execPath, join(folder, 'usr/local/bin/node'), { dereference: true })
  await chmod(join(folder, 'usr/local/bin/node'), 0o755)
  const { stdout } = await run('git', ['ls-files', '-z', 'package.json', 'LICENSE', ...folders], { cwd: REPOSITORY })
  for (const path of stdout.split('\0').filter((file) => file !== '' && isNeeded(file)))
    await copyFromRepository(path, folder)
  for (const path of built) await copyFromRepository(path, folder)
  const manifest = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  for (const path of await npmClosure(REPOSITORY, npm ?? Object.keys(manifest.dependencies), LEFT_OUT))
    await copyFromRepository(path, folder)
}

/** The pages of docs/ are served. Those beside the source are for who reads it. */
const isNeeded = (file: string): boolean => file.startsWith('docs/') || !file.endsWith('.md')

/** Packages inside a package are in the closure by themselves. */
const copyFromRepository = (path: string, folder: string): Promise<void> =>
  cp(join(REPOSITORY, path), join(folder, APP, path), {
    recursive: true,
    filter: (source) => !source.slice(join(REPOSITORY, path).length).includes('/node_modules'),
  })

async function writeSystemFiles(folder: string, versions: readonly string[]): Promise<void> {
  await mkdir(join(folder, 'etc'), { recursive: true })
  const user = `tidemark:x:${USER_ID}:${USER_ID}`
  await writeFile(join(folder, 'etc/passwd'), `root:x:0:0:root:/:/none\n${user}:Tidemark:/tmp:/none\n`)
  await writeFile(join(folder, 'etc/group'), `root:x:0:\ntidemark:x:${USER_ID}:\n`)
  await writeFile(join(folder, 'etc/nsswitch.conf'), 'hosts: files dns\n')
  await mkdir(join(folder, 'usr/share/tidemark'), { recursive: true })
  await writeFile(join(folder, 'usr/share/tidemark/debian-packages.txt'), `${versions.join('\n')}\n`)
  for (const path of [...WRITABLE, 'proc', 'sys', 'dev']) await mkdir(join(folder, path), { recursive: true })
}

/** Returns when the commit that is checked out was made, in seconds. */
async function commitTime(): Promise<number> {
  const { stdout } = await run('git', ['log', '-1', '--format=%ct'], { cwd: REPOSITORY })
  return Number(stdout.trim())
}

/** Folders that every user may write to. */
const WRITABLE = ['tmp', 'data']

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

/** Writes the image of a root file system into a file, as the Containerfiles say that it runs. */
async function buildArchive(name: ImageName, folder: string, file: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    readonly version: string
  }
  const environment = { HOME: '/tmp', ...ROOT_FILE_SYSTEMS[name].environment }
  const image = { name: `${name}:${version}`, entrypoint: ENTRYPOINT, environment, user: `${USER_ID}:${USER_ID}` }
  await writeImageArchive(folder, image, file)
}

const [, , name, folder, archive] = process.argv
if (!isImage(name) || folder === undefined) {
  process.stderr.write(
    `usage: node images/build-root.ts ${Object.keys(ROOT_FILE_SYSTEMS).join('|')} FOLDER [ARCHIVE.tar]\n` +
      'Makes the root file system of an image, of Debian’s packages, Node and this repository, and the image as\n' +
      'a file, which containerd and Docker load. Run npm ci first.\n',
  )
  process.exitCode = 2
} else {
  await buildRoot(name, resolve(folder))
  const { stdout } = await run('du', ['-sm', resolve(folder)])
  process.stdout.write(`${resolve(folder)}: ${stdout.split('\t', 1)[0]} MB; entry point ${ENTRYPOINT.join(' ')}\n`)
  if (archive !== undefined) {
    await buildArchive(name, resolve(folder), archive)
    process.stdout.write(`${resolve(archive)}: the image\n`)
  }
}
