import { posix, win32 } from 'node:path'

/** What a machine has, as far as an installed browser is found by it. */
export interface Machine {
  readonly platform: NodeJS.Platform
  /** As `process.arch` has it. */
  readonly architecture: string
  readonly home: string
  /** `PATH`, and on Windows the variables of its program folders. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Returns whether a file exists that this account may execute. */
  isProgram(path: string): Promise<boolean>
}

/** Where a kind of system has its browsers. The first one that exists is used. */
interface Places {
  /** Names of programs in the folders of `PATH`. */
  readonly names: readonly string[]
  /** Folders that are looked through besides; `~` is the home folder, and `%NAME%` a variable. */
  readonly folders: readonly string[]
  /** Files in each of these folders. */
  readonly files: readonly string[]
  readonly advice: string
}

const LINUX: Places = {
  // The last is a message on a Ubuntu without snap's Chromium.
  names: ['chromium', 'google-chrome-stable', 'google-chrome', 'microsoft-edge-stable', 'chromium-browser'],
  // A service may have a short PATH.
  folders: ['/usr/bin', '/usr/lib/chromium', '/snap/bin'],
  files: ['chromium', 'google-chrome-stable', 'google-chrome', 'microsoft-edge-stable', 'chromium-browser'],
  advice:
    'install the package chromium of your distribution (Debian: apt install chromium; Fedora: dnf install chromium; ' +
    'Alpine: apk add chromium)',
}

const MACOS: Places = {
  names: [],
  folders: ['/Applications', '~/Applications'],
  files: ['Chromium', 'Google Chrome', 'Microsoft Edge'].map((name) => `${name}.app/Contents/MacOS/${name}`),
  advice: 'install Google Chrome (https://www.google.com/chrome, or brew install --cask google-chrome)',
}

const WINDOWS: Places = {
  names: [],
  folders: ['%PROGRAMFILES%', '%PROGRAMFILES(X86)%', '%LOCALAPPDATA%'],
  files: [
    'Chromium\\Application\\chrome.exe',
    'Google\\Chrome\\Application\\chrome.exe',
    'Microsoft\\Edge\\Application\\msedge.exe',
  ],
  advice: 'install Google Chrome (https://www.google.com/chrome, or winget install Google.Chrome)',
}

const SYSTEMS: Partial<Record<NodeJS.Platform, Places>> = { darwin: MACOS, win32: WINDOWS }
/** Other Unix systems have their programs where Linux has them. */
const placesOf = (platform: NodeJS.Platform): Places => SYSTEMS[platform] ?? LINUX

/** Returns the paths at which a browser may be installed, in the order in which they are tried, each once. */
export function chromiumPaths({
  platform,
  home,
  variables,
}: Pick<Machine, 'platform' | 'home' | 'variables'>): readonly string[] {
  const { names, folders, files } = placesOf(platform)
  const { join, isAbsolute } = platform === 'win32' ? win32 : posix
  const valueOf = (name: string) => variableOf(variables, name, platform)
  // A folder that depends on where the process was started is none to take a program from.
  const path = names.length === 0 ? [] : valueOf('PATH').split(':')
  const named = folders.map((folder) =>
    folder.replace(/^~/, () => home).replace(/%([^%]+)%/, (_, name: string) => valueOf(name)),
  )
  const inPath = path.filter(isAbsolute).flatMap((folder) => names.map((name) => join(folder, name)))
  const inFolders = named.filter(isAbsolute).flatMap((folder) => files.map((file) => join(folder, file)))
  return [...new Set([...inPath, ...inFolders])]
}

/** Names of variables have no case on Windows. */
function variableOf(variables: Machine['variables'], name: string, platform: NodeJS.Platform): string {
  const isNamed = (one: string) => (platform === 'win32' ? one.toUpperCase() === name : one === name)
  return Object.entries(variables).find(([one]) => isNamed(one))?.[1] ?? ''
}

/** Returns the browser that is installed on a machine; null: none is. */
export async function installedChromium(machine: Machine): Promise<string | null> {
  for (const path of chromiumPaths(machine)) if (await machine.isProgram(path)) return path
  return null
}

/** Returns what was looked for on a system, and how a browser is installed there, as parts of a sentence. */
export function noInstalledChromium(platform: NodeJS.Platform): string {
  const { names, folders, advice } = placesOf(platform)
  const places = [...(names.length > 0 ? ['the folders of PATH'] : []), ...folders].join(', ')
  return `no Chromium, Chrome or Edge was found in ${places}; ${advice}, or set CHROMIUM_PATH`
}
