import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import type { WrittenMonitor } from '../../api/types.ts'
import { Copyable } from '../../monitor/copy.tsx'
import { Choice } from '../../parts/choice.tsx'
import { sentenceOf } from '../form/sentence-of.ts'
import style from '../new.module.css'
import { useSettled } from '../what/use-settled.ts'

const FORMS = [
  ['manifest', 'Manifest'],
  ['pulumi', 'Pulumi'],
  ['curl', 'curl'],
] as const

const PAUSE_MS = 300

interface CodePartProps {
  readonly kind: 'Monitor' | 'SerpMonitor'
  /** The body of a create. */
  readonly body: object
}

/** The same monitor as code, to copy. Nothing is stored for it. */
export function CodePart({ kind, body }: CodePartProps) {
  const [as, setAs] = useState<(typeof FORMS)[number][0]>('manifest')
  const [isShown, setShown] = useState(false)
  const settled = useSettled(body, PAUSE_MS)
  const { data, error } = useQuery({
    queryKey: ['written', kind, as, settled],
    queryFn: ({ signal }) =>
      ask<WrittenMonitor>('/v1/manifests', {
        method: 'POST',
        body: { kind, spec: settled, as },
        signal,
      }),
    enabled: isShown,
    placeholderData: (before) => (before?.as === as ? before : undefined),
  })
  return (
    <details className={style['others']} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>As code: manifest, Pulumi, curl</summary>
      <p>
        <Choice label="Form" value={as} choices={FORMS} onChoose={(next) => setAs(next)} />
      </p>
      {error !== null && <p className={style['fault']}>{sentenceOf(error)}</p>}
      {error === null && data && (
        <>
          <Copyable text={data.text} label={FORMS.find(([form]) => form === as)?.[1] ?? ''} />
          {data.secrets.length > 0 && (
            <ul className={style['secrets']} aria-label="Secrets that the text does not have">
              {data.secrets.map(({ key, what }) => (
                <li key={key}>
                  <code>{key}</code>: <bdi>{what}</bdi>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </details>
  )
}
