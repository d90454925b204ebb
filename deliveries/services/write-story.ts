import type { DeliveryService } from '../../schema/monitor/delivery-service.ts'
import type { Dialect } from '../messages/dialect.ts'
import { LINK_WORDS } from '../messages/links.ts'
import { shorten } from '../messages/shorten.ts'
import type { Story } from '../messages/story.ts'
import { writeBlocks } from '../messages/write-blocks.ts'
import { writeOwn } from '../messages/write-own.ts'

const LONGEST_LINK = 300
const NAME = 150

/** Returns the name of what a message is about, cut to the length of a title and not escaped. */
export const titleOf = ({ name }: Pick<Story, 'name'>, most: number = NAME): string => shorten(name, most)

/**
 * Returns a whole message in at most the limit of its service. Where it would be longer, whole changes are left out
 * and counted. `isBare`: the title and the link to the run have other places in the request.
 */
export function writeStory(
  story: Story,
  dialect: Dialect,
  { limit, isBare = false }: { readonly limit: DeliveryService['limit']; readonly isBare?: boolean },
): string {
  const head = isBare ? [] : [dialect.bold(dialect.plain(titleOf(story)))]
  if (story.own) {
    const most = limit.most - dialect.cost(head.map((line) => line + dialect.lineBreak).join(''))
    return [...head, writeOwn(story, story.own, dialect, most)].join(dialect.lineBreak)
  }
  const foot = footOf(story, dialect, isBare)
  const fixed = [...head, foot].join(dialect.lineBreak.repeat(2))
  const blocks = writeBlocks(story, dialect, limit.most - dialect.cost(fixed))
  return [...head, ...blocks, foot].join(dialect.lineBreak)
}

function footOf({ runUrl, page, time }: Story, dialect: Dialect, isBare: boolean): string {
  const run = runUrl === null || isBare ? [] : [dialect.link(runUrl, dialect.plain(LINK_WORDS.run))]
  const where = page === null ? [] : [pageOf(page, dialect)]
  return [...run, ...where, dialect.plain(time)].join(' · ')
}

function pageOf({ url, text }: NonNullable<Story['page']>, dialect: Dialect): string {
  return url === null || url.length > LONGEST_LINK ? dialect.plain(text) : dialect.link(url, dialect.plain(text))
}
