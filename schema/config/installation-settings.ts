import Type from 'typebox'
import { TIERS } from '../account/plan.ts'
import { Choice, RuledText, Text, Whole } from '../shape/shape.ts'

const Optional = Type.Optional

/** The key, the accounts and the limits of an installation. */
export const INSTALLATION_SETTINGS = {
  TIDEMARK_ENCRYPTION_KEY: Optional(
    Text(
      16,
      8192,
      'Key that encrypts secrets in the database: 32 bytes as base64 or hex, or a long passphrase without commas. ' +
        'To rotate it, put a new key before it: a comma-separated list, the newest first; see docs/admin.md. ' +
        'Required with DATABASE_URL. Otherwise a key is generated and kept in TIDEMARK_DATA_DIR. A process that ' +
        'lacks a key that the database needs refuses to start.',
    ),
  ),
  TIDEMARK_SIGNUP: Choice(['invite', 'open'], {
    default: 'invite',
    description: 'Who may create an account. open: everybody. invite: nobody without an invitation.',
  }),
  TIDEMARK_SIGNUP_PLAN: Choice(TIERS, { default: 'free', description: 'Plan of a new account.' }),
  TIDEMARK_OWNER_EMAIL: Optional(
    RuledText(
      254,
      ['email_address'],
      'E-mail address of the first owner, whom the first start creates, and to whom notices about monitors go. ' +
        'Unset: owner@tidemark.local, which no mail reaches. Later, "tidemark admin set-email" changes it.',
    ),
  ),
  TIDEMARK_RATE_LIMIT: Whole(0, 10_000_000, {
    default: 6000,
    description: 'Requests a minute for each API key or session. 0: no limit.',
  }),
  TIDEMARK_INVITATION_MAILS: Whole(0, 1_000_000, {
    default: 500,
    description:
      'Invitation mails an hour of all teams together, half of them at most of teams on the plan free. 0: no limit ' +
      'but that of each team; see docs/reference/teams-and-roles.md.',
  }),
  TIDEMARK_DATABASE_MAX_BYTES: Optional(
    Whole(1_000_000, Number.MAX_SAFE_INTEGER, {
      description:
        'Bytes that the database may have. From 90 % of them on the owner is told, and from 95 % on previews and ' +
        'pictures stop. Unset: only the disk of the embedded Postgres is looked at; see docs/operations.md.',
    }),
  ),
}
