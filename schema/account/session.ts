import Type from 'typebox'
import { Closed, Instant, Nullable, Text, Uuid } from '../shape/shape.ts'

/** A session of the signed-in account: where somebody has signed in and not signed out. */
export const AccountSession = Closed({
  id: Uuid(),
  current: Type.Boolean({ description: 'The session of this request.' }),
  created_at: Instant('The sign-in.'),
  expires_at: Instant(),
  ip_address: Nullable(Text(0, 100), { description: 'From where; null if it is not known.' }),
  user_agent: Nullable(Text(0, 300), { description: 'What the browser said that it is; null if it said nothing.' }),
})
