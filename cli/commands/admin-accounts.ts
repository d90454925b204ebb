import { Command, InvalidArgumentError, Option } from 'commander'
import { isUuid } from '../../core/is-uuid.ts'
import { PAGES } from '../../schema/account/pages.ts'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import { invitationLink } from '../../accounts/invitations.ts'
import { TIERS, type Tier } from '../../schema/account/plan.ts'
import type { ApiKey } from '../../schema/account/api-key.ts'
import { EMAIL_ADDRESS } from '../../schema/rules/monitor-rules.ts'
import {
  accountId,
  createResetToken,
  grantCredits,
  listKeysOf,
  renewInvitationsOf,
  revokeKeyOf,
  setEmail,
  setPlan,
} from '../../store/accounts/admin-accounts.ts'
import { listCustomers } from '../../store/accounts/subscriptions.ts'
import { notedBaseUrl } from '../../store/accounts/base-url.ts'
import { printable } from '../printable.ts'
import { diskOfTeams } from '../../store/quota/usage-summary.ts'
import { print, withStore } from '../boot/parts/with-store.ts'
import { billingOf } from '../boot/parts/billing.ts'
import { createLogger } from '../../core/logger.ts'
import { syncCustomer } from '../../accounts/billing/billing.ts'

type DiskOfTeam = Awaited<ReturnType<typeof diskOfTeams>>[number]

interface OwnerOption {
  readonly email: string
  readonly json: boolean
}

export function emailAddress(text: string): string {
  if (EMAIL_ADDRESS.check(text).length > 0) throw new InvalidArgumentError(EMAIL_ADDRESS.message)
  return text.toLowerCase()
}

export const noAccount = (email: string) =>
  new InvalidArgumentError(`there is no account with the address ${email}; create one with admin create-owner`)

/** A command about an account and the team that it owns. */
const ownerCommand = (name: string, description: string, example: string) =>
  new Command(name)
    .description(description)
    .requiredOption('--email <address>', 'of the owner', emailAddress)
    .option('--json', 'print JSON for scripts', false)
    .addHelpText('after', `\nExample:\n  $ ./tidemark admin ${name} ${example}\n`)

export const listKeysCommand = () =>
  ownerCommand('list-keys', 'Lists the API keys of an account that work.', '--email me@example.com').action(
    ({ email, json }: OwnerOption) =>
      withStore(async (store) => {
        const keys = await listKeysOf(store, email)
        if (!keys) throw noAccount(email)
        if (json) return print(true, { keys })
        process.stdout.write(keys.length === 0 ? 'There are no keys.\n' : keys.map(keyLine).join(''))
      }),
  )

const keyLine = ({ id, key_prefix: prefix, scopes, expires_at: expires, last_used_at: used, name }: ApiKey) =>
  `${id}  ${prefix}…  ${scopes.join(',').padEnd(10)}  ` +
  `${expires === null ? 'never expires' : `expires ${expires}`}  ${used === null ? 'never used' : `used ${used}`}  ` +
  `${printable(name)}\n`

export const revokeKeyCommand = () =>
  ownerCommand(
    'revoke-key',
    'Revokes an API key of an account, at once.',
    '--email me@example.com --id 0f5d6c1e-2c58-4b0a-8d5e-6f1a2b3c4d5e',
  )
    .requiredOption('--id <id>', 'of the key; list-keys shows it', uuid)
    .action(({ email, id, json }: OwnerOption & { readonly id: string }) =>
      withStore(async (store) => {
        const revoked = await revokeKeyOf(store, email, id)
        if (!revoked) throw noAccount(email)
        if (revoked === 'no_such_key')
          throw new InvalidArgumentError(`no key with the id ${id} works for this account; list-keys shows its keys`)
        print(json, { id: revoked.id, prefix: revoked.prefix, revoked: true })
      }),
    )

export const setEmailCommand = () =>
  ownerCommand(
    'set-email',
    'Changes the address that an account signs in with, and to which notices go.',
    '--email owner@tidemark.local --to me@example.com',
  )
    .requiredOption('--to <address>', 'the new address', emailAddress)
    .action(({ email, to, json }: OwnerOption & { readonly to: string }) =>
      withStore(async (store) => {
        const outcome = await setEmail(store, email, to)
        if (!outcome) throw noAccount(email)
        if (outcome === 'taken') throw new InvalidArgumentError(`there is already an account with the address ${to}`)
        print(json, { email: to, previous_email: email })
      }),
    )

export const deleteAccountCommand = () =>
  ownerCommand(
    'delete-account',
    'Deletes an account, and with it its own team: monitors, keys, invitations and pending deliveries. It cannot be ' +
      'undone.',
    '--email gone@example.com --yes',
  )
    .requiredOption('--yes', 'delete it')
    .action(({ email, json }: OwnerOption) =>
      withStore(async (store) => {
        const userId = await accountId(store, email)
        const outcome = userId === null ? null : await deleteAccount({ store }, { userId, actor: SYSTEM })
        if (outcome?.kind === 'subscribed')
          throw new InvalidArgumentError(
            'the team of the account has a subscription that would be renewed; cancel it first',
          )
        if (outcome?.kind !== 'done') throw noAccount(email)
        print(json, { email, deleted: true, team_id: outcome.teamId, teams_left: outcome.teamsLeft })
      }),
    )

export const linkCommand = () =>
  ownerCommand(
    'link',
    'Prints the links that an address would get by mail: to accept an open invitation, and to set a new password, ' +
      'once, within 5 hours. Links that were sent before stop working. It needs no mail server.',
    '--email me@example.com',
  ).action(({ email, json }: OwnerOption) =>
    withStore(async (store, { settings }) => {
      const base = (settings.TIDEMARK_BASE_URL ?? (await notedBaseUrl(store)))?.replace(/\/+$/, '') ?? null
      const renewed = await renewInvitationsOf(store, email)
      const invitations = renewed.map((one) => ({ ...one, url: base && invitationLink(base, one.token) }))
      const issued = await createResetToken(store, email)
      if (!issued && invitations.length === 0) throw noAccount(email)
      const reset = issued && { ...issued, url: base && `${base}${PAGES.reset}?token=${issued.token}` }
      if (json) return print(true, { email, ...reset, invitations })
      for (const { team_name, role, url, token } of invitations)
        process.stdout.write(
          `To join ${team_name} with the role ${role}, signed in as ${email}:\n  ${url ?? token}\n\n`,
        )
      if (!reset) return
      print(false, { email, ...reset })
      process.stdout.write(reset.url === null ? NO_ADDRESS : OPEN_ADDRESS)
    }),
  )

const OPEN_ADDRESS = '\nOpen the address in a browser to set the password.\n'
const NO_ADDRESS =
  '\nNo API has started on this database yet, so its address is not known. Start one and call this again, or set ' +
  'TIDEMARK_BASE_URL.\n'

export const setPlanCommand = () =>
  ownerCommand(
    'set-plan',
    'Puts the team of an account on a plan, at once.',
    '--email me@example.com --plan pro --serp',
  )
    .addOption(new Option('--plan <name>', 'the plan').choices(TIERS).makeOptionMandatory())
    .option('--serp', 'search-result monitors are part of the plan; of unlimited they always are', false)
    .action(({ email, plan, serp, json }: OwnerOption & { readonly plan: Tier; readonly serp: boolean }) =>
      withStore(async (store) => {
        const changed = await setPlan(store, email, plan, serp)
        if (!changed) throw noAccount(email)
        print(json, { email, ...changed })
      }),
    )

export const grantCreditsCommand = () =>
  ownerCommand('grant-credits', 'Gives the team of an account run credits.', '--email me@example.com --runs 5000')
    .requiredOption('--runs <number>', 'how many runs', runs)
    .action(({ email, runs: count, json }: OwnerOption & { readonly runs: number }) =>
      withStore(async (store) => {
        const now = await grantCredits(store, email, count)
        if (!now) throw noAccount(email)
        print(json, { email, granted: count, ...now })
      }),
    )

export const syncBillingCommand = () =>
  new Command('sync-billing')
    .description('Asks the payment provider for the subscriptions of all teams, or of one, and applies them.')
    .option('--email <address>', 'of the owner of one team', emailAddress)
    .option('--json', 'print JSON for scripts', false)
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin sync-billing\n')
    .action(({ email, json }: Partial<Pick<OwnerOption, 'email'>> & Pick<OwnerOption, 'json'>) =>
      withStore(async (store, { settings }) => {
        const billing = billingOf(settings)
        if (!billing)
          throw new InvalidArgumentError('this installation takes no payments: STRIPE_SECRET_KEY is not set')
        const context = { store, billing, baseUrl: '', log: createLogger('warn', process.stderr) }
        const customers = await listCustomers(store, email ?? null)
        let failed = 0
        for (const customer of customers) if ((await syncCustomer(context, customer)).kind !== 'done') failed += 1
        print(json, { teams: customers.length, failed })
        if (failed > 0) process.exitCode = 1
      }),
    )

const MOST_TEAMS = 50

export const diskCommand = () =>
  new Command('disk')
    .description('Lists the teams that use the most disk, for pictures of runs and for texts of whole pages.')
    .option('--json', 'print JSON for scripts', false)
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin disk\n')
    .action(({ json }: Pick<OwnerOption, 'json'>) =>
      withStore(async (store) => {
        const teams = await diskOfTeams(store, MOST_TEAMS)
        if (json) return print(true, { teams })
        process.stdout.write(teams.length === 0 ? 'No team has pictures or texts.\n' : teams.map(diskLine).join(''))
      }),
    )

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`.padStart(12)
const diskLine = ({ team, owner, picture_bytes: pictures, text_bytes: texts }: DiskOfTeam) =>
  `${megabytes(pictures)} pictures  ${megabytes(texts)} texts  ${owner ?? 'no owner'}  ${printable(team)}\n`

function runs(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be a whole number from 1 to 999999999')
}

function uuid(text: string): string {
  if (isUuid(text)) return text.toLowerCase()
  throw new InvalidArgumentError('must be the id of a key, as list-keys shows it')
}
