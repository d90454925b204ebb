import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type ArchitectureName, ARCHITECTURES, OWN_ARCHITECTURE } from './architectures.ts'
import { neededLibraries } from './needed-libraries.ts'
import type { RootFileSystem } from './root-file-systems.ts'

const run = promisify(execFile)

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
  ...below(
    'usr/share',
    'doc man info lintian locale bash-completion bug menu applications icons perl perl5 themes zsh',
  ),
  ...below('usr/lib', 'apt dpkg systemd'),
  ...below('lib', 'init lsb modprobe.d systemd udev'),
  ...below('etc', 'apt dpkg perl alternatives cron.daily default init.d kernel logrotate.d systemd'),
]

/** Libraries that a program loads by name when it needs them: the resolver's, and those of NSS, Chromium's store. */
const LOADED_BY_NAME = /^(?:libnss_(?:dns|files)\.so\.2|lib(?:softokn3|freeblpriv3|freebl3|nssckbi)\.so)$/

function below(folder: string, names: string): string[] {
  return names.split(' ').map((name) => `${folder}/${name}`)
}

/** The packages of another release have other names, and other known vulnerabilities. */
async function refuseOtherDebian(): Promise<void> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '')
  if (!/^ID=debian$/m.test(text) || !/^VERSION_ID="12"$/m.test(text))
    throw new Error('images are made of the packages of Debian 12: build them there, or in a container of it')
}

type Debian = Pick<RootFileSystem, 'debian' | 'programs' | 'removed'>

/**
 * Puts into `folder` the files of Debian's packages that an image needs. Returns the names of the packages with their
 * versions, and those of their sources. Call `removeUnusedLibraries` behind the last program.
 */
export async function addDebian(
  { debian, programs, removed }: Debian,
  folder: string,
  architecture: ArchitectureName,
): Promise<readonly string[]> {
  await refuseOtherDebian()
  const versions = await unpackDebian(debian, folder, architecture)
  const kept = await Promise.all(programs.map(async (path) => ({ path, bytes: await readFile(join(folder, path)) })))
  for (const path of [...REMOVED, ...removed]) await rm(join(folder, path), { recursive: true, force: true })
  for (const { path, bytes } of kept) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), bytes, { mode: 0o755 })
  }
  return versions
}

/** A line of the list of packages: name and version, and those of the source, by which vulnerabilities are known. */
const LINE = ['Package', 'Version', 'source:Package', 'source:Version'].map((field) => `\${${field}}`).join(' ')

/** Unpacks packages and what they depend on. No script of a package runs. Returns a line for each, as in `LINE`. */
async function unpackDebian(
  names: readonly string[],
  folder: string,
  architecture: ArchitectureName,
): Promise<readonly string[]> {
  const cache = await mkdtemp(join(tmpdir(), 'tidemark-debian-'))
  try {
    await mkdir(join(cache, 'archives/partial'), { recursive: true })
    await mkdir(join(cache, 'lists/partial'), { recursive: true })
    await writeFile(join(cache, 'status'), '')
    await chmod(cache, 0o755)
    // An empty list of installed packages: the dependencies do not depend on this machine.
    const settings = [`Dir::State::status=${cache}/status`, `Dir::Cache::archives=${cache}/archives`]
    // The lists of this machine are for one architecture.
    const isForeign = architecture !== OWN_ARCHITECTURE
    if (isForeign)
      settings.push(
        `APT::Architecture=${architecture}`,
        `APT::Architectures::=${architecture}`,
        `Dir::State::lists=${cache}/lists`,
        `Dir::Cache::pkgcache=${cache}/pkgcache.bin`,
        `Dir::Cache::srcpkgcache=${cache}/srcpkgcache.bin`,
      )
    const options = settings.flatMap((setting) => ['-o', setting])
    if (isForeign) await run('apt-get', [...options, '-q', 'update'])
    await run('apt-get', [...options, '-y', '-q', '--no-install-recommends', '--download-only', 'install', ...names])
    const files = (await readdir(join(cache, 'archives'))).filter((file) => file.endsWith('.deb')).toSorted()
    const lines: string[] = []
    for (const file of files) {
      const path = join(cache, 'archives', file)
      await run('dpkg-deb', ['--extract', path, folder])
      lines.push((await run('dpkg-deb', ['--show', `--showformat=${LINE}`, path])).stdout)
    }
    return lines
  } finally {
    await rm(cache, { recursive: true, force: true })
  }
}

/**
 * Removes Debian's libraries that nothing in the image loads, such as drivers of graphics cards: half of what comes
 * with a browser.
 */
export async function removeUnusedLibraries(folder: string, architecture: ArchitectureName): Promise<void> {
  const { triplet } = ARCHITECTURES[architecture]
  const places = [`lib/${triplet}`, `usr/lib/${triplet}`]
  const isLibrary = (path: string) => places.some((place) => path.startsWith(`${place}/`))
  const files = await filesOf(folder)
  const libraries = files.filter(isLibrary)
  const byName = new Map(libraries.map((path) => [basename(path), path]))
  const kept = new Set(libraries.filter((path) => LOADED_BY_NAME.test(basename(path))))
  const waiting = [...files.filter((path) => !isLibrary(path)), ...kept]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const target = await readlink(join(folder, next)).catch(() => null)
    const names = target === null ? ((await neededLibraries(join(folder, next))) ?? []) : [basename(target)]
    for (const path of names.map((name) => byName.get(name)))
      if (path !== undefined && !kept.has(path)) {
        kept.add(path)
        waiting.push(path)
      }
  }
  for (const path of libraries) if (!kept.has(path)) await rm(join(folder, path))
  for (const place of places) await removeEmptyFolders(join(folder, place))
}

/** Returns the paths of files and links below a folder. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

async function removeEmptyFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await removeEmptyFolders(join(folder, entry.name))
  if ((await readdir(folder)).length === 0) await rm(folder, { recursive: true })
}
