import { sessionCookieName } from '../../api/auth/sign-in-options.ts'
import { newSessionToken, signSessionToken } from '../../store/accounts/credentials/session-token.ts'
import { openSession } from '../../store/accounts/credentials/sessions.ts'
import type { TestApi } from '../support/api/test-api.ts'
import { teamHash } from '../support/database/stored-hash.ts'
import type { Caller } from './steps.ts'

/** A team of its own with every kind of caller. */
export interface Team {
  readonly teamId: string
  /** The headers that carry a caller's credentials. */
  headers(caller: Caller, nth: number): Readonly<Record<string, string>>
  /** Somebody who signs in and out, and whom nothing else needs. */
  readonly leaver: { readonly email: string; readonly password: string; readonly token: string }
  /** Opens another session for the leaver. */
  returns(): Promise<void>
  /** A number that changes with whatever the store holds of the team. */
  fingerprint(): Promise<string>
}

const GARBAGE = [
  'Bearer',
  'Bearer ',
  'Bearer x',
  `Bearer svc_${'a'.repeat(40)}`,
  'Bearer svc_',
  'Basic Zm9vOmJhcg==',
  'svc_abc',
  `Bearer ${'x'.repeat(4000)}`,
  'Bearer a.b',
  'Bearer a b',
  'Bearer \xff',
  `Bearer ${'a'.repeat(32)}.${'A'.repeat(43)}=`,
  'Digest x="1"',
  '',
]
export async function createTeam(api: TestApi): Promise<Team> {
  const { store, sessionKey } = api.services
  const [owner, stranger, leaving] = [await api.owner(), await api.owner(), await api.owner()]
  const cookie = `${sessionCookieName('http://')}=${encodeURIComponent(owner.session_token)}`
  const own = { origin: 'http://127.0.0.1:8080' }
  const bearer: Partial<Record<Caller, string>> = {
    key: owner.api_key,
    reader: await api.key(owner, 'read'),
    writer: await api.key(owner, 'write'),
    session: owner.session_token,
    viewer: await api.member(owner, 'viewer'),
    member: await api.member(owner, 'member'),
    stranger: stranger.api_key,
  }
  const team = { leaver: { email: leaving.email, password: leaving.password, token: leaving.session_token } }
  return {
    teamId: owner.team_id,
    get leaver() {
      return team.leaver
    },
    headers(caller, nth) {
      if (caller === 'none') return {}
      if (caller === 'cookie') return { ...own, cookie }
      if (caller === 'garbage') return { authorization: GARBAGE[nth % GARBAGE.length]! }
      return { ...(caller === 'leaver' && own), authorization: `Bearer ${bearer[caller] ?? team.leaver.token}` }
    },
    async returns() {
      const token = newSessionToken()
      await openSession(store, leaving.user_id, token)
      team.leaver = { ...team.leaver, token: signSessionToken(token, sessionKey) }
    },
    fingerprint: () => teamHash(store, owner.team_id),
  }
}
