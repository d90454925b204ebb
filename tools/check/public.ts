import { allows, breakEntries } from '../public/break-entries.ts'
import { breaks } from '../public/breaks.ts'
import { publicInterface } from '../public/public-interface.ts'
import { released } from '../public/released.ts'
import type { Check } from './check.ts'

const PAGE = 'docs/upgrade.md'

/** Compares what is public in this tree with the newest version that is recorded. */
export const publicCheck: Check = {
  name: 'public',
  async faults({ files }) {
    const versions = released(files)
    const [newest] = versions
    if (!newest) return []
    const page = files.find(({ path }) => path === PAGE)?.text ?? ''
    const entries = breakEntries(
      page,
      versions.map(([version]) => version),
    )
    return breaks(newest[1], await publicInterface(files))
      .filter((sentence) => !entries.some((entry) => allows(entry, sentence)))
      .map((sentence) => `${sentence}: keep what ${newest[0]} has, or say under "What breaks" of ${PAGE} what to do`)
  },
}
