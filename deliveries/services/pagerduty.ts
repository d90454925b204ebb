import { isOfHealth } from '../../core/run-notices.ts'
import { shorten } from '../messages/shorten.ts'
import { unlinked } from '../messages/unlinked.ts'
import { writeBlocks } from '../messages/write-blocks.ts'
import { writeOwn } from '../messages/write-own.ts'
import { bytes, plainText } from './dialects.ts'
import { busyPasses, JSON_TYPE, type Service, type ServiceInput } from './service.ts'

const DIALECT = plainText(bytes)
const SUMMARY = 1_000
const LONGEST_URL = 1_500

/** The trouble of a monitor has one incident, which its recovery resolves. Any other message has its own. */
function incidentOf({ id, notice, payload }: ServiceInput): string {
  const areAllMissing = 'type' in payload && payload.field_missing?.all === true
  const isOfMonitor = isOfHealth(notice, areAllMissing) && payload.monitor_id !== null
  return isOfMonitor ? `tidemark-failing-${payload.monitor_id}` : `tidemark-${id}`
}

/** An event of the Events API v2. The key of its incident makes a repetition the same incident. */
export const pagerduty: Service = {
  request(input) {
    const { url, options, story, notice, limit } = input
    const { runUrl, page } = story
    const links = [link(runUrl, 'See the run'), link(page?.url ?? null, 'The page')].flat()
    const trigger = {
      payload: {
        summary: shorten(unlinked(story.headline), SUMMARY),
        source: page?.text ?? 'Tidemark',
        severity: options['severity'] ?? 'warning',
        timestamp: story.firedAt,
        custom_details: story.own
          ? { message: writeOwn(story, story.own, DIALECT, limit.most) }
          : { changes: writeBlocks(story, DIALECT, limit.most) },
      },
      client: 'Tidemark',
      ...(runUrl !== null && { client_url: runUrl }),
      links,
    }
    const event = {
      routing_key: options['routing_key'],
      event_action: notice === 'recovered' ? 'resolve' : 'trigger',
      dedup_key: incidentOf(input),
      ...(notice !== 'recovered' && trigger),
    }
    return { method: 'POST', url, headers: JSON_TYPE, body: JSON.stringify(event) }
  },
  read: busyPasses,
}

const link = (href: string | null, text: string) => (href === null || href.length > LONGEST_URL ? [] : [{ href, text }])
