import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import type { Template } from '../api/types.ts'
import { withPreset } from './draft/draft-body.ts'
import type { Draft } from './draft/draft.ts'
import style from './new.module.css'
import cards from './templates.module.css'

/** Monitors may not be checked more often. */
const SHORTEST = 60

/** Returns the draft of a template. Its address is an example. */
const ofTemplate = (draft: Draft, { slug, name, example_url: example, config }: Template): Draft => ({
  ...withPreset(draft, { extract_config: config.extract, diff_predicate: config.diff_predicate }),
  url: draft.url === '' ? (example ?? '') : draft.url,
  name,
  interval: Math.max(SHORTEST, config.schedule_interval_seconds),
  more: { ...draft.more, template_slug: slug },
})

interface TemplatesProps {
  onChoose(change: (draft: Draft) => Draft): void
}

/** Ready-made monitors, as cards. */
export function Templates({ onChoose }: TemplatesProps) {
  const { data } = useQuery({
    queryKey: ['templates'],
    queryFn: ({ signal }) => ask<readonly Template[]>('/v1/templates', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (data === undefined || data.length === 0) return null
  return (
    <section aria-labelledby="templates">
      <h2 id="templates" className={style['label']}>
        Or start from a template
      </h2>
      <ul className={cards['cards']}>
        {data.map((template) => (
          <li key={template.slug}>
            <button
              type="button"
              className={cards['card']}
              onClick={() => onChoose((before) => ofTemplate(before, template))}
            >
              <b>{template.name}</b>
              <span className={style['soft']}>{template.description}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
