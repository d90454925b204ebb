import { sql } from 'slonik'
import Type from 'typebox'
import type { Tier } from '../../../schema/account/plan.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { newSessionToken, signSessionToken } from '../../../store/accounts/credentials/session-token.ts'
import { openSession } from '../../../store/accounts/credentials/sessions.ts'
import { ensureTeam } from '../../../store/accounts/team/teams.ts'
import { row } from '../../../store/db/row.ts'
import type { Answer, Client, ServedApi } from './served-api.ts'

type Account = Pick<CreatedOwner, 'user_id' | 'team_id' | 'email' | 'session_token'>

/** Somebody with an account, and a session that acts for its active team. */
export interface Person {
  readonly account: Account
  readonly client: Client
  /** Another session of the same account. */
  signInAgain(): Promise<Client>
}

export function personOf({ api: { services }, as }: ServedApi, account: Account): Person {
  return {
    account,
    client: as(account.session_token),
    async signInAgain() {
      const token = newSessionToken()
      await openSession(services.store, account.user_id, token)
      return as(signSessionToken(token, services.sessionKey))
    },
  }
}

export const invite = ({ client }: Pick<Person, 'client'>, email: string, role = 'member'): Promise<Answer> =>
  client.post('/v1/team/members/invite', { email, role })

const queued = row({ id: Type.String(), team_id: Type.String(), target: Type.Unsafe<Buffer>(Type.Any()) })

/** The token of the latest link that was mailed to an address. The served API must have mail (`hasMail`). */
export async function mailedToken({ api: { services } }: ServedApi, email: string): Promise<string> {
  const rows = await services.store.any(sql.type(queued)`
    select id, team_id, target from notices where kind = 'invitation' order by created_at desc, id desc`)
  for (const { id: rowId, team_id: teamId, target } of rows) {
    const { to, link } = services.secrets.open({ teamId, rowId, column: 'notices.target' }, target) as {
      readonly to: string
      readonly link: string
    }
    if (to === email) return new URL(link).searchParams.get('token') ?? ''
  }
  throw new Error(`no invitation was mailed to ${email}`)
}

/** Invites a person, and returns the token of the link. */
export async function tokenFor(served: ServedApi, by: Person, to: Person, role = 'member'): Promise<string> {
  const { status, body } = await invite(by, to.account.email, role)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return mailedToken(served, to.account.email)
}

export const acceptAs = ({ client }: Pick<Person, 'client'>, token: string): Promise<Answer> =>
  client.post('/v1/team/accept', { token })

export const plusDays = (instant: string, days: number): string =>
  new Date(Date.parse(instant) + days * 86_400_000).toISOString()

/** Moves the clock of the decisions to so far from the true time. */
export const setClock = ({ api }: ServedApi, offset: string): Promise<void> =>
  api.sql(`alter database "${new URL(api.databaseUrl).pathname.slice(1)}" set tidemark.clock_offset = '${offset}'`)

const person = row({ id: Type.String() })

/** Makes an account with a team of its own and a session, without a password: its hash would take most of the time. */
export async function accountOf(served: ServedApi, plan: Tier = 'free'): Promise<Person> {
  const { store, sessionKey } = served.api.services
  const email = `${crypto.randomUUID()}@example.com`
  const token = newSessionToken()
  const account = await store.transaction(async (tx) => {
    const { id: user_id } = await tx.one(sql.type(person)`
      insert into auth.users (name, email, email_verified) values ('Somebody', ${email}, true) returning id`)
    const team_id = await ensureTeam(tx, { ownerId: user_id, ownerEmail: email, plan, serp: false })
    await openSession(tx, user_id, token)
    return { user_id, team_id, email, session_token: signSessionToken(token, sessionKey) }
  })
  return personOf(served, account)
}
