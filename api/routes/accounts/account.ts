import Type from 'typebox'
import { deleteAccount } from '../../../accounts/delete-account.ts'
import { AccountSession } from '../../../schema/account/session.ts'
import { Closed, RuledText } from '../../../schema/shape/shape.ts'
import { endSession, listSessions } from '../../../store/accounts/credentials/sessions.ts'
import { sessionOf } from '../../auth/principals.ts'
import { noSuch } from '../../http/common-errors.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, noContent, ok, route } from '../../http/route.ts'
import { validationError } from '../../http/validation-error.ts'

const tag = 'Account'

export const listSessionsRoute = route({
  method: 'GET',
  path: '/v1/account/sessions',
  summary: 'List your sessions',
  description: 'Where you are signed in, the newest first; the newest 100 at most.',
  tag,
  policy: 'account.sessions',
  answers: { 200: { description: 'The sessions.', schema: Closed({ data: Type.Array(AccountSession) }) } },
  beyond: true,
  async handle({ principal, services: { store } }) {
    const { sessionId, userId } = sessionOf(principal)
    const sessions = await listSessions(store, userId)
    return ok({ data: sessions.map((session) => ({ ...session, current: session.id === sessionId })) })
  },
})

export const endSessionRoute = route({
  method: 'DELETE',
  path: '/v1/account/sessions/:id',
  summary: 'End one of your sessions',
  description: 'It is refused from the next request on.',
  tag,
  policy: 'account.sessions',
  params: ById,
  answers: { 204: { description: 'The session has ended.' } },
  beyond: true,
  async handle({ params: { id }, principal, services: { store } }) {
    if (!(await endSession(store, sessionOf(principal).userId, id))) throw noSuch('session')
    return noContent()
  },
})

export const deleteAccountRoute = route({
  method: 'DELETE',
  path: '/v1/account',
  summary: 'Delete your account',
  description:
    'Your own team ends with it, for all of its members: its monitors, keys, invitations and pending deliveries. You ' +
    'leave the teams of others. This cannot be undone. 409 while a subscription would be renewed: cancel it first.',
  tag,
  policy: 'account.delete',
  body: Closed({
    email: RuledText(254, ['email_address'], 'The address of the account, so that nobody does it unawares.'),
  }),
  answers: { 204: { description: 'The account is deleted.' } },
  refusals: ['CONFLICT'],
  beyond: true,
  async handle({ body, principal, actor, services }) {
    const { userId, email } = sessionOf(principal)
    if (body.email.toLowerCase() !== email.toLowerCase())
      throw validationError('body', [
        { path: 'email', message: 'must be the address of the account that you are signed in to' },
      ])
    const { teamId, teamsLeft } = doneOf(await deleteAccount(services, { userId, actor }))
    services.principals.forgetKeys()
    services.log.info({ user_id: userId, team_id: teamId, teams_left: teamsLeft }, 'an account was deleted')
    return noContent()
  },
})
