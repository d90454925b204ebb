import { Link } from 'wouter'
import { ActionButton } from '../parts/action-button.tsx'
import { Stranger } from '../parts/stranger.tsx'
import controls from '../style/controls.module.css'
import tones from '../style/tones.module.css'
import type { StatusPage } from './draft.ts'
import style from './status.module.css'

export type PageAct = 'publish' | 'take-back' | 'delete'

interface StatusPageRowProps {
  readonly page: StatusPage
  /** Why pages cannot be changed. */
  readonly refused: string | null
  /** Why pages cannot be published. */
  readonly unpublishable: string | null
  onAct(act: PageAct): void
}

/** Returns what a page shows, in words. */
export function showsWords({ shows }: StatusPage): string {
  if (shows.by === 'label') return `Monitors with ${shows.label}${shows.show_values ? ', with values' : ''}`
  const { length } = shows.monitors
  const values = shows.monitors.filter((one) => one.show_value).length
  const count = length === 1 ? '1 monitor' : `${length} monitors`
  return values === 0 ? count : `${count}, ${values === length ? 'with values' : `${values} with values`}`
}

/** A status page: its title, its address, what it shows, and who sees it. */
export function StatusPageRow({ page, refused, unpublishable, onAct }: StatusPageRowProps) {
  const { id, title, url, published } = page
  return (
    <li className={style['row']}>
      <span className={style['who']}>
        <b>
          <Stranger text={title} />
        </b>
        {published ? (
          <a href={url} target="_blank" rel="noopener" className={style['address']}>
            {url}
          </a>
        ) : (
          <span className={style['address']}>{url}</span>
        )}
      </span>
      <span className={style['shows']}>
        {showsWords(page)}
        <span className={published ? tones['good'] : tones['soft']}>
          {published ? 'Published' : 'Only your team sees it'}
          {page.indexed && ', search engines may list it'}
        </span>
      </span>
      <span className={style['acts']}>
        <a
          href={`/v1/status-pages/${id}/preview`}
          target="_blank"
          rel="noopener"
          className={controls['button']}
          aria-label={`Preview: ${title}`}
        >
          Preview
        </a>
        <EditLink page={page} refused={refused ?? (published ? unpublishable : null)} />
        {published ? (
          <ActionButton refused={refused} label={`Take back: ${title}`} onAct={() => onAct('take-back')}>
            Take back…
          </ActionButton>
        ) : (
          <ActionButton refused={unpublishable} label={`Publish: ${title}`} onAct={() => onAct('publish')}>
            Publish…
          </ActionButton>
        )}
        <ActionButton refused={refused} label={`Delete: ${title}`} onAct={() => onAct('delete')}>
          Delete…
        </ActionButton>
      </span>
    </li>
  )
}

const EditLink = ({ page, refused }: { readonly page: StatusPage; readonly refused: string | null }) =>
  refused === null ? (
    <Link href={`/status-pages/${page.id}`} className={controls['button']} aria-label={`Edit: ${page.title}`}>
      Edit
    </Link>
  ) : (
    <ActionButton refused={refused} label={`Edit: ${page.title}`} onAct={() => {}}>
      Edit
    </ActionButton>
  )
