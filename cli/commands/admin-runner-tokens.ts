import { Command, InvalidArgumentError, Option } from 'commander'
import { withStore } from '../../boot/parts/with-store.ts'
import { createRunnerToken, revokeRunnerTokens } from '../../store/accounts/credentials/runner-tokens.ts'
import { type OutputOptions, printResult } from '../output.ts'

interface TokenOptions extends OutputOptions {
  readonly job: string
  readonly ttl: number
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
const LONGEST_SECONDS = 30 * 86_400

export const createRunnerTokenCommand = () =>
  new Command('create-runner-token')
    .description('Creates a token for one runner: only that runner can use the checks it claims. It expires by itself.')
    .requiredOption('--job <name>', 'the name of the Job that the token is for', jobName)
    .addOption(
      new Option('--ttl <time>', 'how long it is valid, as in 90s, 15m, 8h or 7d')
        .argParser(seconds)
        .default(900, '15m'),
    )
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin create-runner-token --job runner-7 --ttl 1h --json\n')
    .action(({ job, ttl, ...options }: TokenOptions) =>
      withStore(async (store) => {
        const { id, token, expires_at } = await createRunnerToken(store, { job, ttlSeconds: ttl })
        await printResult(options, { data: { id, job, token, expires_at }, names: [job] })
      }),
    )

export const revokeRunnerTokenCommand = () =>
  new Command('revoke-runner-token')
    .description('Revokes all tokens of a Job at once. Other runners get its checks when their leases end.')
    .requiredOption('--job <name>', 'the name of the Job', jobName)
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin revoke-runner-token --job runner-7\n')
    .action(({ job, ...options }: Omit<TokenOptions, 'ttl'>) =>
      withStore(async (store) =>
        printResult(options, { data: { job, revoked: await revokeRunnerTokens(store, job) }, names: [job] }),
      ),
    )

function jobName(text: string): string {
  if (/^[\w.:/-]{1,253}$/.test(text)) return text
  throw new InvalidArgumentError('must have 1 to 253 letters, digits or . _ - : /')
}

function seconds(text: string): number {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,7})([smhd])$/.exec(text) ?? []
  const count = Number(digits) * (UNITS[unit] ?? 0)
  if (count > 0 && count <= LONGEST_SECONDS) return count
  throw new InvalidArgumentError('must be a time such as 15m, at most 30d')
}
