import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { ensureTrustedFolder } from '../../../platform/stage.ts'
import type { UnprivilegedUser } from '../../../platform/unprivileged-user.ts'
import { BrowserError } from '../browser-error.ts'
import { installedChromium, type Machine, noInstalledChromium } from './installed-chromium.ts'
import { unpackTar } from './unpack-tar.ts'

/** A Chromium on this machine. */
export interface ChromiumProgram {
  readonly path: string
  /** The environment variables that it needs. */
  readonly environment: Readonly<Record<string, string>>
}

interface ProgramOptions {
  /** `CHROMIUM_PATH`: use only this one. */
  readonly path: string | null
  readonly dataDir: string
  /** The account that it will run as; null: the current one. */
  readonly user: UnprivilegedUser | null
  /**
   * As root: where the embedded Chromium is unpacked, for all data directories of this machine. Default
   * `/var/lib/tidemark`.
   */
  readonly systemHome?: string
  /** Default: this one. */
  readonly machine?: Machine
}

/**
 * Returns the Chromium to use: `CHROMIUM_PATH`, else the headless shell of the npm package, else an installed Chromium,
 * Chrome or Edge. Throws a `BrowserError` that says what to do when there is none. The first call unpacks the embedded
 * one (210 MB, about 2 s).
 */
export async function chromiumProgram(options: ProgramOptions): Promise<ChromiumProgram> {
  if (options.path !== null) {
    if (await isExecutable(options.path)) return { path: options.path, environment: {} }
    throw new BrowserError(`CHROMIUM_PATH names ${options.path}, which is not a program. Correct it, or unset it.`)
  }
  const { machine = thisMachine() } = options
  const packaged = embeddedPackage(machine)
  if (packaged !== null) return unpacked(packaged, options)
  const installed = await installedChromium(machine)
  if (installed !== null) return { path: installed, environment: {} }
  const { platform, architecture } = machine
  throw new BrowserError(
    `There is no embedded browser for ${platform}-${architecture}, and ${noInstalledChromium(platform)}.`,
  )
}

const thisMachine = (): Machine => ({
  platform: process.platform,
  architecture: process.arch,
  home: homedir(),
  // oxlint-disable-next-line node/no-process-env -- these variables say where programs are
  variables: process.env,
  isProgram: isExecutable,
})

/** Returns the folder of the package, or null. The package has a Chromium only for Linux on x64. */
function embeddedPackage({ platform, architecture }: Machine): string | null {
  if (platform !== 'linux' || architecture !== 'x64') return null
  try {
    // The package's own code is never loaded: it would run any file at /tmp/chromium, without a sandbox.
    return dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')))
  } catch {
    return null
  }
}

async function unpacked(packaged: string, options: ProgramOptions): Promise<ChromiumProgram> {
  const manifest = JSON.parse(await readFile(join(packaged, 'package.json'), 'utf8')) as { version: string }
  const home = await homeOf(options)
  const folder = join(home, `chromium-${manifest.version}`)
  if (!(await exists(folder))) await unpack(join(packaged, 'bin'), folder)
  const environment = { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') }
  return { path: join(folder, 'chromium'), environment }
}

/**
 * Returns a folder that only this account and root may change. As root it is a system folder: the data directory may be
 * where the browser's account cannot enter (a clone in a 0700 folder), and a system folder needs only one copy per
 * machine.
 */
async function homeOf({ dataDir, user, systemHome = '/var/lib/tidemark' }: ProgramOptions): Promise<string> {
  const folder = user === null ? join(resolve(dataDir), 'browser') : resolve(systemHome)
  try {
    await mkdir(dirname(folder), { recursive: true })
    await ensureTrustedFolder(folder)
    return folder
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BrowserError(`The embedded browser cannot be unpacked: ${reason}. Correct it, or set CHROMIUM_PATH.`)
  }
}

/**
 * The target folder is complete or absent: a start that was killed leaves only a draft. Two starts may unpack at the
 * same time; one of them wins.
 */
async function unpack(bin: string, folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}`
  try {
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { mode: 0o755 })
    const program = createWriteStream(join(draft, 'chromium'), { mode: 0o755 })
    await Promise.all([
      pipeline(createReadStream(join(bin, 'chromium.br')), createBrotliDecompress({ chunkSize: 1 << 21 }), program),
      unpackInto(draft, join(bin, 'al2023.tar.br')),
      unpackInto(draft, join(bin, 'fonts.tar.br')),
    ])
    await writeFile(join(draft, 'fonts.conf'), fontsConfiguration(folder))
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (await exists(folder)) return
    const reason = error instanceof Error ? error.message : String(error)
    throw new BrowserError(`The embedded browser could not be unpacked into ${folder}: ${reason}.`)
  }
}

async function unpackInto(folder: string, archive: string): Promise<void> {
  await unpackTar(await buffer(createReadStream(archive).pipe(createBrotliDecompress())), folder)
}

/**
 * The machine's fonts, and those of the package where the machine has none. The cache goes into the profile
 * (XDG_CACHE_HOME).
 */
function fontsConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir>${folder}/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`
}

/** Permission to execute a folder is permission to enter it, so folders are left out. */
async function isExecutable(path: string): Promise<boolean> {
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
  return (
    isFile &&
    access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
  )
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
