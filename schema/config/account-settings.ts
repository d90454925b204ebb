import Type from 'typebox'
import { RuledText, Text } from '../shape/shape.ts'

const Optional = Type.Optional

/** Mail, sign-in, plans and payments. */
export const ACCOUNT_SETTINGS = {
  SMTP_URL: Optional(
    Text(
      1,
      2048,
      'Mail server: smtp://user:password@host:587 or smtps://…; see docs/messages.md. Unset: no mail is ' +
        'sent, and e-mail deliveries fail.',
    ),
  ),
  SMTP_FROM: Optional(RuledText(254, ['email_address'], 'Sender address of mail. Required with SMTP_URL.')),
  TIDEMARK_OIDC_ISSUER: Optional(
    Text(
      1,
      2048,
      'Issuer of an OpenID Connect provider that people sign in with, such as https://id.example.com/realms/main; ' +
        'see docs/sign-in.md. Unset: people sign in with passwords only.',
    ),
  ),
  TIDEMARK_OIDC_CLIENT_ID: Optional(Text(1, 512, 'Id of this client at the provider. Required with the issuer.')),
  TIDEMARK_OIDC_CLIENT_SECRET: Optional(
    Text(1, 1024, 'Secret of this client at the provider. Required with the issuer.'),
  ),
  TIDEMARK_PLANS_FILE: Optional(
    Text(
      1,
      4096,
      'JSON file with limits of plans that differ here; see docs/reference/usage-and-plans.md. The command that ' +
        'migrates the database applies it: serve or migrate.',
    ),
  ),
  STRIPE_SECRET_KEY: Optional(
    Text(1, 512, 'Secret key of Stripe; see docs/billing.md. Unset: plans and run credits are given by commands.'),
  ),
  STRIPE_WEBHOOK_SECRET: Optional(
    Text(1, 512, 'Secret that Stripe signs its events with. Required with STRIPE_SECRET_KEY.'),
  ),
  STRIPE_PRICES: Optional(
    Text(
      2,
      16_384,
      'JSON with the prices of plans and of packs of run credits. Required with STRIPE_SECRET_KEY. Example: ' +
        '{"pro":"price_1abc","pro_serp":"price_2def","credits":{"5000":"price_3ghi"}}.',
    ),
  ),
  STRIPE_API_URL: Optional(Text(1, 2048, 'Address to ask in place of https://api.stripe.com, for tests.')),
}
