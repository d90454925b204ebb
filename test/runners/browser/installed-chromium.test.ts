import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumProgram } from '../../../runners/browser/chromium/chromium-program.ts'
import { chromiumPaths, installedChromium, type Machine } from '../../../runners/browser/chromium/installed-chromium.ts'

/** A machine on which these files are programs. */
const machineOf = (of: Partial<Machine>, ...programs: readonly string[]): Machine => ({
  platform: 'linux',
  architecture: 'arm64',
  home: '/people/ada',
  variables: { PATH: '/people/ada/bin:/usr/bin' },
  isProgram: async (path) => programs.includes(path),
  ...of,
})
const mac = { platform: 'darwin', home: '/people/ada', variables: {} } as const
const windows = {
  platform: 'win32',
  architecture: 'x64',
  home: 'C:\\People\\ada',
  variables: {
    ProgramFiles: 'C:\\Program Files',
    'ProgramFiles(x86)': 'C:\\Program Files (x86)',
    LOCALAPPDATA: 'C:\\People\\ada\\AppData\\Local',
  },
} as const

describe('an installed browser is found', () => {
  const found: readonly (readonly [string, Partial<Machine>, string])[] = [
    ['Linux, a folder of PATH', {}, '/people/ada/bin/google-chrome'],
    ['Linux, Edge', {}, '/usr/bin/microsoft-edge-stable'],
    ['Linux, with an empty PATH', { variables: {} }, '/snap/bin/chromium'],
    ['macOS', mac, '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    ['macOS, of one account', mac, '/people/ada/Applications/Chromium.app/Contents/MacOS/Chromium'],
    ['macOS, Edge', mac, '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'],
    ['Windows', windows, 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
    ['Windows, Edge', windows, 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe'],
    ['Windows, of one account', windows, 'C:\\People\\ada\\AppData\\Local\\Chromium\\Application\\chrome.exe'],
  ]
  test.each(found)('%s', async (_, of, path) => {
    expect(await installedChromium(machineOf(of, path))).toBe(path)
    expect(await installedChromium(machineOf(of))).toBeNull()
  })

  test('a folder of PATH before those that are always looked through', async () => {
    const both = machineOf({}, '/usr/bin/chromium', '/people/ada/bin/google-chrome')
    expect(await installedChromium(both)).toBe('/people/ada/bin/google-chrome')
  })

  test('none in a folder that depends on where the process was started', () => {
    const variables = { PATH: ':bin:.:../bin:/opt/bin', PROGRAMFILES: 'Programs' }
    expect(chromiumPaths({ platform: 'linux', home: '/root', variables }).every((path) => path.startsWith('/'))).toBe(
      true,
    )
    expect(chromiumPaths({ platform: 'win32', home: 'C:\\People\\ada', variables })).toEqual([])
  })
})

describe('the browser of a machine is', () => {
  let folder: string
  let own: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-installed-'))
    own = join(folder, 'chrome')
    await writeFile(own, '#!/bin/sh\n', { mode: 0o755 })
    await mkdir(join(folder, 'folder'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const programOn = (machine: Machine, path: string | null = null) =>
    chromiumProgram({ path, dataDir: folder, user: null, machine })
  const installed = '/usr/bin/chromium'

  test('that of CHROMIUM_PATH', async () => {
    expect((await programOn(machineOf({}, installed), own)).path).toBe(own)
  })

  test('none where CHROMIUM_PATH names a folder', async () => {
    await expect(programOn(machineOf({}, installed), join(folder, 'folder'))).rejects.toThrow('is not a program')
  })

  test('the embedded one, where there is one', async () => {
    // It cannot be unpacked here: what is said shows that the installed one was not taken.
    const nowhere = { path: null, dataDir: own, user: null }
    const x64 = machineOf({ architecture: 'x64' }, installed)
    await expect(chromiumProgram({ ...nowhere, machine: x64 })).rejects.toThrow('The embedded browser')
  })

  test('the installed one elsewhere', async () => {
    expect(await programOn(machineOf({}, installed))).toEqual({ path: installed, environment: {} })
  })

  test.each([
    ['linux-arm64', machineOf({}), ['the folders of PATH', '/snap/bin', 'apt install chromium']],
    ['darwin-arm64', machineOf(mac), ['/Applications, ~/Applications', 'brew install --cask google-chrome']],
    ['win32-x64', machineOf(windows), ['%PROGRAMFILES(X86)%', 'winget install Google.Chrome']],
  ])('none on %s: it says what was looked for, and how to install one', async (name, machine, parts) => {
    const said = await programOn(machine).catch((error: Error) => error.message)
    for (const part of [`no embedded browser for ${name}`, ...parts, 'CHROMIUM_PATH']) expect(said).toContain(part)
    expect(said).not.toContain('ada')
  })
})
