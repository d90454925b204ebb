import { resourceKindOf } from '../../schema/resource-kind.ts'
import { objectOf, type Service, type ServiceInput } from './service.ts'

const isSearch = ({ payload }: ServiceInput): boolean =>
  'type' in payload
    ? payload.monitor?.kind === 'serp'
    : payload.serp !== undefined || payload.serp_analysis !== undefined

function sourceOf(input: ServiceInput): string {
  const { options, payload } = input
  if (options['source'] !== undefined) return options['source']
  if (payload.monitor_id === null) return '/v1/monitors'
  return `/v1/${resourceKindOf(isSearch(input) ? 'serp' : 'page').collection}/${encodeURIComponent(payload.monitor_id)}`
}

/** An event of CloudEvents 1.0 in structured mode, around the payload of a webhook. */
export const cloudevents: Service = {
  request: (input) => ({
    method: 'POST',
    url: input.url,
    headers: { 'Content-Type': 'application/cloudevents+json' },
    body: JSON.stringify({
      specversion: '1.0',
      id: input.id,
      source: sourceOf(input),
      type: input.notice === null ? 'dev.tidemark.change' : `dev.tidemark.notice.${input.notice}`,
      time: input.story.firedAt,
      datacontenttype: 'application/json',
      data: objectOf(input.text),
    }),
  }),
}
