import { ActionButton } from '../parts/action-button.tsx'
import { Stranger } from '../parts/stranger.tsx'
import { Ago } from '../parts/time.tsx'
import tones from '../style/tones.module.css'
import style from './keys.module.css'
import { type ApiKey, isEndingSoon } from './use-keys.ts'

interface KeyRowProps {
  readonly apiKey: ApiKey
  readonly refused: string | null
  onRotate(key: ApiKey): void
  onRevoke(key: ApiKey): void
}

const REPLACED = 'A newer key has replaced it already. Replace that one.'

/** A key: what it may do, since when it exists, when it was used last, and when it ends. */
export function KeyRow({ apiKey: key, refused, onRotate, onRevoke }: KeyRowProps) {
  const { name, key_prefix: prefix, scopes, created_at: made, last_used_at: used, replaced } = key
  return (
    <li className={style['row']}>
      <span className={style['who']}>
        <b>
          <Stranger text={name} />
        </b>
        <code className={style['prefix']}>{prefix}…</code>
      </span>
      <span className={style['scope']}>{scopes.includes('write') ? 'Read and write' : 'Read only'}</span>
      <span className={style['times']}>
        <span>
          <span className={tones['soft']}>made</span> <Ago at={made} />
        </span>
        <span>
          <span className={tones['soft']}>used</span> {used === null ? 'never' : <Ago at={used} />}
        </span>
        <End of={key} />
      </span>
      <span className={style['acts']}>
        <ActionButton
          refused={refused ?? (replaced ? REPLACED : null)}
          label={`Replace: ${name}`}
          onAct={() => onRotate(key)}
        >
          Replace…
        </ActionButton>
        <ActionButton refused={refused} label={`Revoke: ${name}`} onAct={() => onRevoke(key)}>
          Revoke…
        </ActionButton>
      </span>
    </li>
  )
}

function End({ of: key }: { readonly of: ApiKey }) {
  const { expires_at: end, replaced } = key
  if (end === null)
    return (
      <span>
        <span className={tones['soft']}>ends</span> never
      </span>
    )
  return (
    <span className={isEndingSoon(key) || replaced ? style['soon'] : undefined}>
      {replaced ? 'replaced, ends' : <span className={isEndingSoon(key) ? undefined : tones['soft']}>ends</span>}{' '}
      <Ago at={end} />
    </span>
  )
}
