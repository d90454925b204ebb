import { Command, InvalidArgumentError, Option } from 'commander'
import { syncCustomer } from '../../accounts/billing/sync-customer.ts'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { invitationLink } from '../../accounts/invitations.ts'
import { billingOf } from '../../boot/parts/billing.ts'
import { withStore } from '../../boot/parts/with-store.ts'
import { isUuid } from '../../core/is-uuid.ts'
import { createLogger } from '../../core/logger.ts'
import { printable } from '../../core/printable.ts'
import { print, tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { ApiKey } from '../../schema/account/api-key.ts'
import { SYSTEM } from '../../schema/account/audit.ts'
import { PAGES } from '../../schema/account/pages.ts'
import { TIERS, type Tier } from '../../schema/account/plan.ts'
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
import { notedBaseUrl } from '../../store/accounts/base-url.ts'
import { listCustomers } from '../../store/accounts/team/subscriptions.ts'
import { diskOfTeams } from '../../store/quota/usage-summary.ts'
import { type Column, formOf, isForPrograms, type OutputOptions, printItems, printResult } from '../output.ts'

type DiskOfTeam = Awaited<ReturnType<typeof diskOfTeams>>[number]

interface OwnerOption extends OutputOptions {
  readonly email: string
}

export function emailAddress(text: string): string {
  if (EMAIL_ADDRESS.check(text).length > 0) throw new InvalidArgumentError(EMAIL_ADDRESS.message)
  return text.toLowerCase()
}

export const noAccount = (email: string) =>
  new InvalidArgumentError(
    `there is no account with the address ${email}; create one with ./tidemark admin create-owner`,
  )

/** A command about an account and the team that it owns. */
const ownerCommand = (name: string, description: string, example: string) =>
  new Command(name)
    .description(description)
    .requiredOption('--email <address>', 'of the owner', emailAddress)
    .addHelpText('after', `\nExample:\n  $ ./tidemark admin ${name} ${example}\n`)

export const listKeysCommand = (io: ProcessIo) =>
  ownerCommand('list-keys', 'Lists the API keys of an account that work.', '--email me@example.com').action(
    ({ email, ...options }: OwnerOption) =>
      withStore(io, async (store) => {
        const keys = await listKeysOf(store, email)
        if (!keys) throw noAccount(email)
        await printItems(io, formOf(options), {
          items: keys,
          columns: KEY_COLUMNS,
          name: ({ id }) => id,
          data: (key) => key,
          whole: { keys },
          none: 'There are no keys.',
        })
      }),
  )

const KEY_COLUMNS: readonly Column<ApiKey>[] = [
  { head: 'ID', cell: ({ id }) => id },
  { head: 'KEY', cell: ({ key_prefix: prefix }) => `${prefix}…` },
  { head: 'SCOPES', cell: ({ scopes }) => scopes.join(',') },
  { head: 'EXPIRES', cell: ({ expires_at: expires }) => expires ?? 'never' },
  { head: 'LAST USED', cell: ({ last_used_at: used }) => used ?? 'never' },
  { head: 'NAME', cell: ({ name }) => name },
]

export const revokeKeyCommand = (io: ProcessIo) =>
  ownerCommand(
    'revoke-key',
    'Revokes an API key of an account, at once.',
    '--email me@example.com --id 0f5d6c1e-2c58-4b0a-8d5e-6f1a2b3c4d5e',
  )
    .requiredOption('--id <id>', 'of the key; list-keys shows it', uuid)
    .action(({ email, id, ...options }: OwnerOption & { readonly id: string }) =>
      withStore(io, async (store) => {
        const revoked = await revokeKeyOf(store, email, id)
        if (!revoked) throw noAccount(email)
        if (revoked === 'no_such_key')
          throw new InvalidArgumentError(`no key with the id ${id} works for this account; list-keys shows its keys`)
        const data = { id: revoked.id, prefix: revoked.prefix, revoked: true }
        await printResult(io, options, { data, names: [revoked.id] })
      }),
    )

export const setEmailCommand = (io: ProcessIo) =>
  ownerCommand(
    'set-email',
    'Changes the address that an account signs in with, and to which notices go.',
    '--email owner@tidemark.local --to me@example.com',
  )
    .requiredOption('--to <address>', 'the new address', emailAddress)
    .action(({ email, to, ...options }: OwnerOption & { readonly to: string }) =>
      withStore(io, async (store) => {
        const outcome = await setEmail(store, email, to)
        if (!outcome) throw noAccount(email)
        if (outcome === 'taken') throw new InvalidArgumentError(`there is already an account with the address ${to}`)
        await printResult(io, options, { data: { email: to, previous_email: email }, names: [to] })
      }),
    )

export const deleteAccountCommand = (io: ProcessIo) =>
  ownerCommand(
    'delete-account',
    'Deletes an account, and with it its own team: monitors, keys, invitations and pending deliveries. It cannot be ' +
      'undone.',
    '--email gone@example.com --yes',
  )
    .requiredOption('--yes', 'delete it')
    .action(({ email, ...options }: OwnerOption) =>
      withStore(io, async (store) => {
        const userId = await accountId(store, email)
        const outcome = userId === null ? null : await deleteAccount({ store }, { userId, actor: SYSTEM })
        if (outcome?.kind === 'subscribed')
          throw new InvalidArgumentError(
            'the team of the account has a subscription that would be renewed; cancel it first',
          )
        if (outcome?.kind !== 'done') throw noAccount(email)
        const data = { email, deleted: true, team_id: outcome.teamId, teams_left: outcome.teamsLeft }
        await printResult(io, options, { data, names: [email] })
      }),
    )

export const linkCommand = (io: ProcessIo) =>
  ownerCommand(
    'link',
    'Prints the links that an address would get by mail: to accept an open invitation, and to set a new password, ' +
      'once, within 5 hours. Links that were sent before stop working. It needs no mail server.',
    '--email me@example.com',
  ).action(({ email, ...options }: OwnerOption) =>
    withStore(io, async (store, { settings }) => {
      const base = (settings.TIDEMARK_BASE_URL ?? (await notedBaseUrl(store)))?.replace(/\/+$/, '') ?? null
      const renewed = await renewInvitationsOf(store, email)
      const invitations = renewed.map((one) => ({ ...one, url: base && invitationLink(base, one.token) }))
      const issued = await createResetToken(store, email)
      if (!issued && invitations.length === 0) throw noAccount(email)
      const reset = issued && { ...issued, url: base && `${base}${PAGES.reset}?token=${issued.token}` }
      const form = formOf(options)
      if (isForPrograms(form) || form === 'name')
        return printResult(io, options, { data: { email, ...reset, invitations }, names: [email] })
      for (const { team_name, role, url, token } of invitations)
        print(
          io,
          `To join ${printable(team_name)} with the role ${role}, signed in as ${email}:\n  ${url ?? token}\n\n`,
        )
      if (!reset) return
      await printResult(io, options, { data: { email, ...reset }, names: [] })
      print(io, reset.url === null ? NO_ADDRESS : OPEN_ADDRESS)
    }),
  )

const OPEN_ADDRESS = '\nOpen the address in a browser to set the password.\n'
const NO_ADDRESS =
  '\nNo API has started on this database yet, so its address is not known. Start one and call this again, or set ' +
  'TIDEMARK_BASE_URL.\n'

export const setPlanCommand = (io: ProcessIo) =>
  ownerCommand(
    'set-plan',
    'Puts the team of an account on a plan, at once.',
    '--email me@example.com --plan pro --serp',
  )
    .addOption(new Option('--plan <name>', 'the plan').choices(TIERS).makeOptionMandatory())
    .option('--serp', 'search-result monitors are part of the plan; of unlimited they always are', false)
    .action(({ email, plan, serp, ...options }: OwnerOption & { readonly plan: Tier; readonly serp: boolean }) =>
      withStore(io, async (store) => {
        const changed = await setPlan(store, email, plan, serp)
        if (!changed) throw noAccount(email)
        await printResult(io, options, { data: { email, ...changed }, names: [email] })
      }),
    )

export const grantCreditsCommand = (io: ProcessIo) =>
  ownerCommand('grant-credits', 'Gives the team of an account run credits.', '--email me@example.com --runs 5000')
    .requiredOption('--runs <number>', 'how many runs', runs)
    .action(({ email, runs: count, ...options }: OwnerOption & { readonly runs: number }) =>
      withStore(io, async (store) => {
        const now = await grantCredits(store, email, count)
        if (!now) throw noAccount(email)
        const { credits, waitsForPlan } = now
        await printResult(io, options, { data: { email, granted: count, credits }, names: [email] })
        if (waitsForPlan)
          tell(
            io,
            'The trial of the team is over and it has no plan: run credits pay for nothing until it has one. ' +
              `./tidemark admin set-plan --email ${email} --plan <name> gives it one.\n`,
          )
      }),
    )

export const syncBillingCommand = (io: ProcessIo) =>
  new Command('sync-billing')
    .description('Asks the payment provider for the subscriptions of all teams, or of one, and applies them.')
    .option('--email <address>', 'of the owner of one team', emailAddress)
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin sync-billing\n')
    .action(({ email, ...options }: Partial<OwnerOption>) =>
      withStore(io, async (store, { settings }) => {
        const billing = billingOf(settings)
        if (!billing)
          throw new InvalidArgumentError('this installation takes no payments: STRIPE_SECRET_KEY is not set')
        const context = { store, billing, baseUrl: '', log: createLogger('warn', io.stderr) }
        const customers = await listCustomers(store, email ?? null)
        let failed = 0
        for (const customer of customers) if ((await syncCustomer(context, customer)).kind !== 'done') failed += 1
        await printResult(io, options, { data: { teams: customers.length, failed }, names: customers })
        if (failed > 0) io.exitCode = 1
      }),
    )

const MAX_TEAMS = 50

export const diskCommand = (io: ProcessIo) =>
  new Command('disk')
    .description('Lists the teams that use the most disk, for pictures of runs and for texts of whole pages.')
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin disk\n')
    .action((options: OutputOptions) =>
      withStore(io, async (store) => {
        const teams = await diskOfTeams(store, MAX_TEAMS)
        await printItems(io, formOf(options), {
          items: teams,
          columns: DISK_COLUMNS,
          name: ({ team_id: id }) => id,
          data: (team) => team,
          whole: { teams },
          none: 'No team has pictures or texts.',
        })
      }),
    )

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
const DISK_COLUMNS: readonly Column<DiskOfTeam>[] = [
  { head: 'PICTURES', cell: ({ picture_bytes: bytes }) => megabytes(bytes) },
  { head: 'TEXTS', cell: ({ text_bytes: bytes }) => megabytes(bytes) },
  { head: 'OWNER', cell: ({ owner }) => owner ?? 'no owner' },
  { head: 'TEAM', cell: ({ team }) => team },
]

function runs(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be a whole number from 1 to 999999999')
}

function uuid(text: string): string {
  if (isUuid(text)) return text.toLowerCase()
  throw new InvalidArgumentError('must be the id of a key, as list-keys shows it')
}
