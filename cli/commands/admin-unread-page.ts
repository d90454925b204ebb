import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Command, InvalidArgumentError, Option } from 'commander'
import { SERP_ENGINES } from '../../schema/serp/serp-search.ts'
import { findUnreadPage, listUnreadPages } from '../../store/objects/unread-pages.ts'
import { objectsOf } from '../boot/parts/objects.ts'
import { print, withStore } from '../boot/parts/with-store.ts'

interface UnreadOptions {
  readonly engine?: string
  readonly out?: string
  readonly json: boolean
}

/** A page that comes from a runner may claim to be larger than any page is. */
const MOST_BYTES = 64 * 1024 * 1024

export const unreadPageCommand = () =>
  new Command('unread-page')
    .description(
      'Lists the last page of each search engine that was not recognized, or writes one to a file. They are kept for ' +
        'seven days. The page is untrusted: open it as text.',
    )
    .addOption(new Option('--engine <name>', 'write the page of this engine').choices(SERP_ENGINES))
    .option('--out <file>', 'the file to write it to; default: standard output')
    .option('--json', 'print the list as JSON for scripts', false)
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin unread-page --engine google --out google.html.txt\n')
    .action(({ engine, out, json }: UnreadOptions) =>
      withStore(async (store, { settings }) => {
        if (engine === undefined) {
          const pages = await listUnreadPages(store)
          if (json) return print(true, { pages })
          const lines = pages.map((page) => `${page.engine}  ${page.seen_at}  ${page.marker}  run ${page.run_id}\n`)
          process.stdout.write(lines.length === 0 ? 'No page was unreadable in the last seven days.\n' : lines.join(''))
          return
        }
        const objects = objectsOf(settings)
        try {
          const page = await findUnreadPage({ store, objects }, engine)
          if (page === null)
            throw new InvalidArgumentError(`no page of ${engine} is kept; without --engine they are listed`)
          const text = await promisify(gunzip)(page, { maxOutputLength: MOST_BYTES })
          await (out === undefined ? process.stdout.write(text) : writeFile(out, text))
        } finally {
          await objects.close()
        }
      }),
    )
