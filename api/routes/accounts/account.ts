import { deleteAccount } from '../../../accounts/delete-account.ts'
import { Closed, RuledText } from '../../../schema/shape/shape.ts'
import { sessionOf } from '../../auth/principals.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { noContent, route } from '../../http/route.ts'
import { validationError } from '../../http/validation-error.ts'

export const deleteAccountRoute = route({
  method: 'DELETE',
  path: '/v1/account',
  summary: 'Delete your account',
  description:
    'Your own team ends with it, for all of its members: its monitors, keys, invitations and pending deliveries. You ' +
    'leave the teams of others. This cannot be undone. 409 while a subscription would be renewed: cancel it first.',
  tag: 'Account',
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
