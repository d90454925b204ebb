import { Command, InvalidArgumentError, Option } from 'commander'
import { withStore } from '../../boot/parts/with-store.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { ApiKeyCreate, SCOPES, type Scope } from '../../schema/account/api-key.ts'
import { OWNER_PLAN, TIERS, type Tier } from '../../schema/account/plan.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { createKeyFor, createOwner } from '../../store/accounts/accounts.ts'
import { type OutputOptions, printResult } from '../output.ts'
import {
  deleteAccountCommand,
  emailAddress,
  diskCommand,
  grantCreditsCommand,
  syncBillingCommand,
  linkCommand,
  listKeysCommand,
  noAccount,
  revokeKeyCommand,
  setEmailCommand,
  setPlanCommand,
} from './admin-accounts.ts'
import { listClustersCommand, listReleasedCommand, releaseClusterCommand } from './admin-clusters.ts'
import { rotateKeyCommand } from './admin-encryption-key.ts'
import { createRunnerTokenCommand, revokeRunnerTokenCommand } from './admin-runner-tokens.ts'
import { unreadPageCommand } from './admin-unread-page.ts'

interface OwnerOptions extends OutputOptions {
  readonly email: string
  readonly password?: string
  readonly plan: Tier
  readonly serp: boolean
}

interface KeyOptions extends OutputOptions {
  readonly email: string
  readonly name: string
  readonly scope: readonly Scope[]
}

/** Returns the commands of `tidemark admin`. */
export const adminCommands = (io: ProcessIo): Command[] => [
  ownerCommand(io),
  keyCommand(io),
  listKeysCommand(io),
  revokeKeyCommand(io),
  setEmailCommand(io),
  deleteAccountCommand(io),
  linkCommand(io),
  setPlanCommand(io),
  grantCreditsCommand(io),
  syncBillingCommand(io),
  diskCommand(io),
  listClustersCommand(io),
  releaseClusterCommand(io),
  listReleasedCommand(io),
  createRunnerTokenCommand(io),
  revokeRunnerTokenCommand(io),
  rotateKeyCommand(io),
  unreadPageCommand(io),
]

function ownerCommand(io: ProcessIo): Command {
  return new Command('create-owner')
    .description('Creates an account with a team of its own, an API key and a session.')
    .requiredOption('--email <address>', 'the e-mail address to sign in with', emailAddress)
    .option('--password <text>', 'default: a random one, which is printed', password)
    .addOption(new Option('--plan <name>', 'plan of the team').choices(TIERS).default(OWNER_PLAN))
    .option('--serp', 'search-result monitors are part of the plan; of unlimited they always are', false)
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin create-owner --email me@example.com --json\n')
    .action((options: OwnerOptions) =>
      withStore(
        io,
        async (store, { sessionKey }) => {
          const made = await createOwner(store, {
            email: options.email,
            plan: options.plan,
            serp: options.serp,
            sessionKey: await sessionKey(),
            ...(options.password !== undefined && { password: options.password }),
          })
          if (!made.ok) throw new InvalidArgumentError(`there is already an account with the address ${options.email}`)
          await printResult(io, options, { data: { ...made.owner }, names: [options.email] })
        },
        { creates: true },
      ),
    )
}

function keyCommand(io: ProcessIo): Command {
  return new Command('create-key')
    .description('Creates an API key for the team that an account owns.')
    .requiredOption('--email <address>', 'of the owner', emailAddress)
    .requiredOption('--name <text>', 'what the key is for', keyName)
    .addOption(new Option('--scope <scope...>', 'what it may do').choices(SCOPES).default(['read']))
    .addHelpText(
      'after',
      '\nExample:\n  $ ./tidemark admin create-key --email me@example.com --name ci --scope read write --json\n',
    )
    .action((options: KeyOptions) =>
      withStore(io, async (store) => {
        const issued = await createKeyFor(store, options.email, options.name, options.scope)
        if (!issued) throw noAccount(options.email)
        await printResult(io, options, { data: { ...issued }, names: [issued.id] })
      }),
    )
}

/** As `POST /v1/keys` takes it. */
function keyName(text: string): string {
  const checked = checkerOf(ApiKeyCreate).validate({ name: text })
  if (!checked.ok) throw new InvalidArgumentError(checked.issues.map(({ message }) => message).join('; '))
  return text
}

function password(text: string): string {
  if (text.length < 8 || text.length > 128) throw new InvalidArgumentError('must have 8 to 128 characters')
  return text
}
