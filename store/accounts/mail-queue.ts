import { randomUUID } from 'node:crypto'
import { sql } from 'slonik'
import type { AccountMail, AccountMailKind } from '../../schema/account/mail.ts'
import type { Queryable } from '../db/client.ts'
import { nothing } from '../db/row.ts'
import { destinationKey, type MailTarget } from '../deliveries/delivery-row.ts'
import type { SecretBox } from '../secrets/secret-box.ts'

/** A mail to an account: the facts of its kind, and where it goes. */
export type NewMail = {
  readonly [K in AccountMailKind]: Omit<AccountMail<K>, 'type'> & {
    /** The team that the mail is about: of a mail about an account, the account's own. */
    readonly teamId: string
    readonly to: string
    /** The address that the mail links to. It may hold a token: it is stored sealed, and no log has it. Null: none. */
    readonly link: string | null
  }
}[AccountMailKind]

/** The queue of outgoing mail to accounts. */
export interface MailQueue {
  /** Without a mail server nothing is queued. */
  readonly hasServer: boolean
  /**
   * Queues a mail in the caller's transaction: it is sent when the action that causes it is committed, and never
   * otherwise. Returns whether it was queued.
   */
  add(tx: Queryable, mail: NewMail): Promise<boolean>
}

/**
 * Creates the queue. Mails are in the table of the notices, and the same loop of the workers sends them
 * (`deliveries/notices/notice-loop.ts`).
 */
export function createMailQueue(secrets: SecretBox, hasServer: boolean): MailQueue {
  return {
    hasServer,
    async add(tx, { teamId, to, link, ...facts }) {
      if (!hasServer) return false
      const config: MailTarget = { type: 'email', to, link }
      const mail = { type: 'account_mail', ...facts } as AccountMail
      const id = randomUUID()
      await tx.query(sql.type(nothing)`
        insert into notices (id, team_id, kind, type, target, host, payload, due_at, next_attempt_at, created_at)
        select ${id}::uuid, ${teamId}::uuid, ${mail.kind}, 'email',
          ${sql.binary(secrets.seal({ teamId, column: 'notices.target', rowId: id }, config))},
          ${destinationKey(teamId, config)}, ${JSON.stringify(mail)}, t.at, t.at, t.at
        from (select clock() as at) t
      `)
      return true
    },
  }
}
