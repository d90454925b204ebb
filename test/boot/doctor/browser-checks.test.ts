import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { unprivilegedUser } from '../../../platform/unprivileged-user.ts'
import { chromiumProgram } from '../../../runners/browser/chromium/chromium-program.ts'
import { FONT_SCRIPTS } from '../../../runners/browser/look-at-browser.ts'
import { checkIn, reportOf } from './report-of.ts'

// A browser on a machine that does other things besides.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let folder: string
const dataDir = join(tmpdir(), `tidemark-test-${process.getuid?.() ?? 0}`)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-doctor-browser-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function browserOf(environment: Readonly<Record<string, string>>) {
  const report = await reportOf({ TIDEMARK_DATA_DIR: dataDir, TIDEMARK_BROWSER_PAGES: '1', ...environment })
  return { browser: checkIn(report, 'browser'), fonts: checkIn(report, 'fonts') }
}

/** A program that runs the browser of the tests in another way. */
async function script(name: string, line: (program: string) => string): Promise<string> {
  const user = await unprivilegedUser(['nobody'])
  const { path, environment } = await chromiumProgram({ path: null, dataDir, user })
  const variables = Object.entries(environment).map(([key, value]) => `export ${key}='${value}'\n`)
  const file = join(folder, name)
  await writeFile(file, `#!/bin/sh\n${variables.join('')}${line(path)}\n`, { mode: 0o755 })
  return file
}

test('the browser starts in its sandbox, and ends', async () => {
  const { browser, fonts } = await browserOf({})
  expect(browser).toMatchObject({
    status: 'ok',
    what: expect.stringMatching(/^Chromium [\d.]+ starts, in its sandbox\.$/),
  })
  // Which fonts this machine has is not known, but it has Latin ones.
  expect(['ok', 'warning']).toContain(fonts.status)
  if (fonts.status === 'warning') expect(fonts.what).not.toContain('Latin')
  const profiles = (await readdir(tmpdir())).filter((name) => name.startsWith(`tidemark-browser-${process.pid}-`))
  expect(profiles).toEqual([])
})

describe('a browser that', () => {
  test('is not there', async () => {
    const { browser, fonts } = await browserOf({ CHROMIUM_PATH: join(folder, 'none') })
    expect(browser).toMatchObject({
      status: 'failed',
      what: expect.stringContaining('is not a program'),
      advice: 'Correct it, or unset it.',
    })
    expect(fonts.status).toBe('not_set_up')
  })

  test('has no sandbox', async () => {
    const CHROMIUM_PATH = await script('refused', () => `echo 'No usable sandbox!' >&2; exit 1`)
    expect((await browserOf({ CHROMIUM_PATH })).browser).toMatchObject({
      status: 'failed',
      what: expect.stringContaining('unprivileged user namespaces are refused'),
      advice: expect.stringContaining('kernel.apparmor_restrict_unprivileged_userns=0'),
    })
  })

  test('has only fonts without letters', async () => {
    await writeFile(join(folder, 'fonts.conf'), '<?xml version="1.0"?>\n<fontconfig><dir>/nowhere</dir></fontconfig>\n')
    const CHROMIUM_PATH = await script(
      'fontless',
      (program) => `export FONTCONFIG_FILE='${join(folder, 'fonts.conf')}'\nexec '${program}' "$@"`,
    )
    const { browser, fonts } = await browserOf({ CHROMIUM_PATH })
    expect(browser.status).toBe('ok')
    expect(fonts).toMatchObject({ status: 'warning', advice: expect.stringContaining('fonts-noto-cjk') })
    for (const one of FONT_SCRIPTS) expect(fonts.what).toContain(one)
  })
})
