import { STATUS_PAGE_LIMITS } from '../api/access.ts'
import controls from '../style/controls.module.css'
import type { Draft, StatusPage } from './draft.ts'
import style from './status.module.css'

interface AddressFieldsProps {
  readonly draft: Draft
  /** Null: it is a new one. */
  readonly page: StatusPage | null
  onEdit(part: Partial<Draft>): void
}

const WAYS = [
  {
    address: 'random',
    word: 'A long random address',
    note: 'Nobody guesses it: only those see the page who get its address.',
  },
  { address: 'own', word: 'An address of your own', note: 'Short, to be told and printed.' },
] as const

/** The title of a page, where it is, and whether it is found. */
export function AddressFields({ draft, page, onEdit }: AddressFieldsProps) {
  const kept = page && ({ address: 'kept', word: 'The address that it has', note: page.url } as const)
  return (
    <>
      <label className={style['field']}>
        <span className={style['label']}>Title</span>
        <input
          className={controls['input']}
          value={draft.title}
          maxLength={STATUS_PAGE_LIMITS.title}
          autoComplete="off"
          placeholder="Prices of our shop"
          onChange={({ target }) => onEdit({ title: target.value })}
        />
      </label>
      <fieldset className={style['part']}>
        <legend className={style['label']}>Address</legend>
        {[...(kept ? [kept] : []), ...WAYS].map(({ address, word, note }) => (
          <label key={address} className={style['way']}>
            <input
              type="radio"
              name="address"
              checked={draft.address === address}
              onChange={() => onEdit({ address })}
            />
            {word}
            <small>{note}</small>
          </label>
        ))}
        {draft.address === 'own' && (
          <label className={style['slug']}>
            <span>{location.origin}/status/</span>
            <input
              className={controls['input']}
              aria-label="End of the address"
              value={draft.slug}
              maxLength={STATUS_PAGE_LIMITS.slug}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => onEdit({ slug: target.value })}
            />
          </label>
        )}
      </fieldset>
      <label className={style['way']}>
        <input type="checkbox" checked={draft.indexed} onChange={({ target }) => onEdit({ indexed: target.checked })} />
        Search engines may list it
        <small>Otherwise they are asked not to.</small>
      </label>
    </>
  )
}
