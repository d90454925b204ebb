import { Command, InvalidArgumentError, Option } from 'commander'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { objectsOf } from '../../boot/parts/objects.ts'
import { withStore } from '../../boot/parts/with-store.ts'
import { printBytes } from '../../platform/print.ts'
import { pathIn, type ProcessIo } from '../../platform/process-io.ts'
import { SERP_ENGINES } from '../../schema/serp/serp-search.ts'
import { findUnreadPage, listUnreadPages } from '../../store/objects/unread-pages.ts'
import { formOf, isForPrograms, type OutputOptions, printItems, printResult } from '../output.ts'

interface UnreadOptions extends OutputOptions {
  readonly engine?: string
  readonly out?: string
}

/** A page that comes from a runner may claim to be larger than any page is. */
const MAX_BYTES = 64 * 1024 * 1024

export const unreadPageCommand = (io: ProcessIo) =>
  new Command('unread-page')
    .description(
      'Lists the last page of each search engine that was not recognized, or writes one to a file. They are kept for ' +
        'seven days. The page is untrusted: open it as text.',
    )
    .addOption(new Option('--engine <name>', 'write the page of this engine').choices(SERP_ENGINES))
    .option('--out <file>', 'the file to write it to; default: standard output')
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin unread-page --engine google --out google.html.txt\n')
    .action(({ engine, out, ...options }: UnreadOptions) =>
      withStore(io, async (store, { settings }) => {
        const form = formOf(options)
        if (engine !== undefined && out === undefined && (isForPrograms(form) || form === 'name'))
          throw new InvalidArgumentError('--engine prints the page itself: add --out, or leave the form out')
        if (engine === undefined) {
          const pages = await listUnreadPages(store)
          return printItems(io, form, {
            items: pages,
            columns: [
              { head: 'ENGINE', cell: (page) => page.engine },
              { head: 'SEEN', cell: (page) => page.seen_at },
              { head: 'RUN', cell: (page) => page.run_id },
              { head: 'MARKER', cell: (page) => page.marker },
            ],
            name: (page) => page.engine,
            data: (page) => page,
            whole: { pages },
            none: 'No page was unreadable in the last seven days.',
          })
        }
        const objects = objectsOf(settings)
        try {
          const page = await findUnreadPage({ store, objects }, engine)
          if (page === null)
            throw new InvalidArgumentError(`no page of ${engine} is kept; without --engine they are listed`)
          const text = await promisify(gunzip)(page, { maxOutputLength: MAX_BYTES })
          if (out === undefined) return printBytes(io, text)
          await writeFile(pathIn(io, out), text)
          await printResult(io, options, { data: { engine, file: out, bytes: text.length }, names: [engine], text: '' })
        } finally {
          await objects.close()
        }
      }),
    )
