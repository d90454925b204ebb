import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askText } from '../api/client.ts'
import { Notice } from '../app/notice.tsx'
import controls from '../style/controls.module.css'
import type { Place } from './any-monitor.ts'
import { Copyable } from './copy.tsx'
import style from './monitor.module.css'

/** The monitor as a manifest: a custom resource, and a file for the command line. */
export function ManifestPart({ place: { path } }: { readonly place: Place }) {
  const [isShown, setShown] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['manifest', path],
    queryFn: ({ signal }) => askText(`${path}/manifest`, 'application/yaml', signal),
    enabled: isShown,
  })
  return (
    <section aria-label="As code" className={style['section']}>
      <div className={style['tools']}>
        <h2 className={style['part']}>As code</h2>
        <button type="button" className={controls['button']} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </button>
      </div>
      <p className={style['note']}>
        A manifest: <code>kubectl apply</code> makes a <a href="/docs/custom-resources">custom resource</a> of it,{' '}
        <code>tidemark apply</code> reads it as a <a href="/docs/config-folder">file</a>, and the same keys make a{' '}
        <a href="/docs/pulumi">Pulumi resource</a>. Secrets are not in it.
      </p>
      {error !== null && <Notice error={error} />}
      {isShown && !data && error === null && <p role="status">Loading…</p>}
      {isShown && data !== undefined && <Copyable text={data} label="Manifest" />}
    </section>
  )
}
