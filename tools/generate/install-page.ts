import { PUBLIC_NAMES } from '../../schema/public-names.ts'
import { type InstallWay, installWays } from './install-ways.ts'
import { paragraph } from './markdown.ts'

const NOT_RUN = '<!-- not run by the test: it needs what it names -->'

const HEAD = `# Install

${paragraph(
  'Choose a way, and type what it says. To try Tidemark, take the first. `npm run gen` makes this page from ' +
    '`schema/public-names.ts`, which says under which names releases are published.',
)}`

/** Returns docs/install.md: each way to install, the one to begin with first. */
export const installPage = (): string => `${[HEAD, ...installWays(PUBLIC_NAMES).map(sectionOf)].join('\n\n')}\n`

const sectionOf = ({ title, about, lines, after }: InstallWay): string =>
  [`## ${title}`, paragraph(about), NOT_RUN, `\`\`\`sh\n${lines.join('\n')}\n\`\`\``, paragraph(after)].join('\n\n')
