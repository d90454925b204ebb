import { Button } from 'react-aria-components/Button'
import { Heading } from 'react-aria-components/Dialog'
import type { ApiKeyIssued } from '../api/types.ts'
import { Copyable } from '../monitor/copy.tsx'
import { ModalDialog } from '../parts/modal-dialog.tsx'
import { Stranger } from '../parts/stranger.tsx'
import { Ago } from '../parts/time.tsx'
import controls from '../style/controls.module.css'
import style from './keys.module.css'

interface IssuedDialogProps {
  readonly issued: ApiKeyIssued
  /** That it takes the place of another key, which works for so many hours more. Null: it does not. */
  readonly replaced: { readonly graceHours: number } | null
  onClose(): void
}

const shellLines = (key: string): string => `export TIDEMARK_URL=${location.origin}
export TIDEMARK_API_KEY=${key}`

const CALL = `curl -sS "$TIDEMARK_URL/v1/monitors" -H "Authorization: Bearer $TIDEMARK_API_KEY"`

/** Shows a new key: this once, and nowhere else. It is left by its button alone. */
export const IssuedDialog = ({ issued: { key, apiKey }, replaced, onClose }: IssuedDialogProps) => (
  <ModalDialog className={style['issued']}>
    <div className={style['form']}>
      <Heading slot="title" level={1}>
        Copy the key now
      </Heading>
      <p>
        <b>
          <Stranger text={apiKey.name} />
        </b>{' '}
        <span className={style['soft']}>
          {apiKey.scopes.includes('write') ? 'read and write' : 'read only'}, ends{' '}
          {apiKey.expires_at === null ? 'never' : <Ago at={apiKey.expires_at} />}
        </span>
      </p>
      <p className={style['once']}>
        It is shown this once. Tidemark keeps only a hash of it, and cannot show it again.
      </p>
      <Copyable text={key} label="The key" />
      <div className={style['copies']}>
        <span className={style['label']}>For the shell, and for ./tidemark</span>
        <Copyable text={shellLines(key)} label="Lines for the shell" />
        <span className={style['label']}>A first call</span>
        <Copyable text={CALL} label="A call with curl" />
      </div>
      {replaced !== null && <Overlap hours={replaced.graceHours} />}
      <span className={style['line']}>
        <Button className={`${controls['button']} ${controls['main']}`} onPress={onClose}>
          I have stored it
        </Button>
      </span>
    </div>
  </ModalDialog>
)

const Overlap = ({ hours }: { readonly hours: number }) => (
  <p className={style['soft']}>
    Give it to everything that used the old key.{' '}
    {hours === 0 ? 'The old one has ended.' : 'The list says until when the old one works, and when it was used last.'}
  </p>
)
