import { cleanText, isolate, quoteName } from '../../core/text/clean-text.ts'
import type { AccountMail, AccountMailKind } from '../../schema/account/mail.ts'
import { emailHtml } from './email-html.ts'
import type { EmailMessage } from './email-message.ts'
import { emailText } from './email-text.ts'
import { pageUrl } from './links.ts'
import { shorten } from './shorten.ts'

/** What a person reads: a subject, sentences, what the button is for, and why the mail came. */
interface Words {
  readonly subject: string
  readonly lines: readonly string[]
  /** Of a mail with a link. Null: the kind has none. */
  readonly button: string | null
  readonly reason: string
}

const LONGEST_NAME = 120
const LONGEST_REASON = 1_000
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

const IGNORE = 'If it was not you, there is nothing to do.'
const TO_ACCOUNT = 'It came because somebody entered this address.'
const shown = (text: string) => isolate(shorten(cleanText(text), LONGEST_NAME))
/** A team's name goes to people who did not ask for it. */
const quoted = (name: string) => isolate(quoteName(shorten(cleanText(name), LONGEST_NAME)))
const as = (role: string) => `as ${role === 'admin' ? 'an' : 'a'} ${role}`

/** The words of each kind of mail. */
const WORDS: { readonly [K in AccountMailKind]: (mail: AccountMail<K>) => Words } = {
  verify_email: () => ({
    subject: 'Confirm your address',
    lines: [
      'Somebody created a Tidemark account with this address.',
      'Confirm that it is yours, with the password that you chose, and sign in.',
      IGNORE,
    ],
    button: 'Confirm this address',
    reason: TO_ACCOUNT,
  }),
  reset_password: () => ({
    subject: 'Set a new password',
    lines: [
      'Somebody asked to set a new password for the Tidemark account of this address.',
      'The link works once, for a few hours. A new password ends every open session.',
      `${IGNORE} The password stays as it is.`,
    ],
    button: 'Set a new password',
    reason: TO_ACCOUNT,
  }),
  account_exists: () => ({
    subject: 'You already have a Tidemark account',
    lines: [
      'Somebody asked for an account with this address, which has an account there already.',
      'If it was you, sign in with that account. If it was not, there is nothing to do: nothing was changed.',
    ],
    button: 'Open Tidemark',
    reason: TO_ACCOUNT,
  }),
  invitation: ({ team_name: team, role, invited_by: who, expires_at: until }) => ({
    subject: `${shown(who)} invites you to ${quoted(team)}`,
    lines: [
      `${shown(who)} invites you to the Tidemark team ${quoted(team)} ${as(role)}.`,
      `The link works until ${DAY.format(Date.parse(until))} UTC, for an account with this address.`,
      'Whoever has no account yet signs up with this address first.',
    ],
    button: 'Accept the invitation',
    reason: 'If you do not know who sent it, there is nothing to do.',
  }),
  invitation_accepted: ({ team_name: team, role, member }) => ({
    subject: `${shown(member)} joined ${quoted(team)}`,
    lines: [`${shown(member)} accepted your invitation to the team ${quoted(team)} ${as(role)}.`],
    button: null,
    reason: 'Whoever invites a person gets this mail.',
  }),
  serp_auto_paused: ({ monitor_name: monitor, consecutive_failures: failures, reason }) => ({
    subject: `${shown(monitor)} is paused`,
    lines: [
      `The monitor was paused, because ${failures} checks in a row failed.`,
      ...(reason === '' ? [] : [`The last time: ${shorten(cleanText(reason), LONGEST_REASON)}`]),
      'It makes no more checks until somebody resumes it.',
    ],
    button: 'See the monitor',
    reason: 'The owner of a team gets this mail.',
  }),
}

/** Returns subject, text and HTML of a mail to an account. A link that is not a web address is left out. */
export function accountMailMessage(mail: AccountMail, link: string | null): EmailMessage {
  const { subject, lines, button, reason } = wordsOf(mail)
  const url = link === null ? null : pageUrl(link)
  const story = {
    name: subject,
    headline: subject,
    own: null,
    changes: [],
    others: null,
    notes: lines,
    lines: [],
    page: null,
    action: url === null || button === null ? null : { button, line: `${button}:`, url },
    footer: `Sent by Tidemark. ${reason}`,
  }
  return { subject, text: emailText(story), html: emailHtml(story) }
}

const wordsOf = <K extends AccountMailKind>(mail: AccountMail<K>) =>
  (WORDS[mail.kind as K] as (mail: AccountMail<K>) => Words)(mail)
