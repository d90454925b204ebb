import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Stranger } from '../parts/stranger.tsx'
import { Ago } from '../parts/time.tsx'
import style from './keys.module.css'
import { type ApiKey, useRevokeKey } from './use-keys.ts'

interface RevokeDialogProps {
  readonly apiKey: ApiKey
  onClose(): void
}

/** Asks before a key ends. */
export function RevokeDialog({ apiKey, onClose }: RevokeDialogProps) {
  const { id, name, key_prefix: prefix, last_used_at: used } = apiKey
  const revoke = useRevokeKey()
  return (
    <ConfirmDialog
      title="Revoke this key?"
      action="Revoke it"
      isEnd
      isBusy={revoke.isPending}
      error={revoke.error}
      onAct={() => revoke.mutate(id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        <b>
          <Stranger text={name} />
        </b>{' '}
        <code className={style['prefix']}>{prefix}…</code>
      </p>
      <p>
        {used === null ? (
          'It was never used.'
        ) : (
          <>
            It was used <Ago at={used} />. Whatever still uses it is refused from now on.
          </>
        )}{' '}
        A revoked key does not come back. To change it without a gap, replace it.
      </p>
    </ConfirmDialog>
  )
}
