import { FONT_SCRIPTS } from '../../runners/browser/look-at-browser.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { failedAs, notSetUp, ok, warning } from './finding.ts'
import { BROWSER_MS } from './look-at-own-browser.ts'

/** Ending it takes a moment. */
const LIMIT_MS = BROWSER_MS + 5_000
const READS = [
  'CHROMIUM_PATH',
  'TIDEMARK_BROWSER_PAGES',
  'TIDEMARK_BROWSER_SOCKET',
  'TIDEMARK_CHROMIUM_SANDBOX',
  'TIDEMARK_DATA_DIR',
] as const
const NONE = 'TIDEMARK_BROWSER_PAGES is 0: this process renders nothing, and runners must.'

export const browserCheck: DoctorCheck = {
  limitMs: LIMIT_MS,
  reads: READS,
  async look({ browser }) {
    const found = await browser()
    if (found.kind === 'none') return notSetUp(NONE)
    if (found.kind === 'unusable') return failedAs(found.message, 'See docs/browser.md.')
    if (found.isSandboxed) return ok(`Chromium ${found.version} starts, in its sandbox.`)
    return warning(
      `Chromium ${found.version} starts, without its sandbox.`,
      'Allow unprivileged user namespaces: docs/runners.md, the sandbox of the browser.',
    )
  },
}

export const fontsCheck: DoctorCheck = {
  limitMs: LIMIT_MS,
  reads: READS,
  async look({ browser }) {
    const found = await browser()
    if (found.kind === 'none') return notSetUp(NONE)
    if (found.kind === 'unusable') return notSetUp('Not known: the browser does not start.')
    const { withoutFont } = found
    if (withoutFont.length === 0) return ok(`The browser has letters for ${FONT_SCRIPTS.join(', ')}.`)
    return warning(
      `The browser has no letters for ${withoutFont.join(', ')}: pictures show boxes in their place.`,
      'Install fonts, as of Noto (Debian: apt install fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji).',
    )
  },
}
