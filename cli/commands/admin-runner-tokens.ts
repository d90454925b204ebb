import { Command, InvalidArgumentError } from 'commander'
import { withStore } from '../../boot/parts/with-store.ts'
import { ExplainedError } from '../../core/explained-error.ts'
import { readPrivateFile, replacePrivateFile, tryToReplace } from '../../platform/private-file.ts'
import { pathIn, type ProcessIo } from '../../platform/process-io.ts'
import {
  createRunnerToken,
  findLiveRunnerToken,
  revokeRunnerTokens,
} from '../../store/accounts/credentials/runner-tokens.ts'
import type { Store } from '../../store/db/client.ts'
import { type OutputOptions, printResult } from '../output.ts'

interface TokenOptions extends OutputOptions {
  readonly job: string
  readonly ttl?: number
  readonly renew: boolean
  readonly file?: string
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
const LONGEST_SECONDS = 30 * 86_400
const DEFAULT_SECONDS = 900
/** A runner that is off for half of it has to be given another token. */
const RENEWED_SECONDS = LONGEST_SECONDS
/** A runner that fails to renew its token tries again once a minute, for half of this. */
const SHORTEST_RENEWED_SECONDS = 3600

const CREATE_HELP = `
With --renew, the runner exchanges the token for another one at half of its life, again and again, and keeps it in
the file that TIDEMARK_RUNNER_TOKEN_FILE names. Each runner needs a token of its own: the use of one that was
exchanged revokes the token.

Examples:
  $ ./tidemark admin create-runner-token --job runner-7 --ttl 1h --json
  $ ./tidemark admin create-runner-token --job runner-8 --renew --file /var/lib/tidemark/runner-token
`

export const createRunnerTokenCommand = (io: ProcessIo) =>
  new Command('create-runner-token')
    .description(
      'Creates a token for one runner: only that runner can use the checks it claims. It expires, or is renewed.',
    )
    .requiredOption('--job <name>', 'the name of the Job that the token is for', jobName)
    .option('--ttl <time>', 'how long it is valid, as in 90s, 15m, 8h or 7d (default: 15m, with --renew 30d)', seconds)
    .option('--renew', 'its runner renews it, and each token is valid for as long as --ttl says', false)
    .option('--file <path>', 'write the token into this file; one that it has and that works is kept')
    .addHelpText('after', CREATE_HELP)
    .action(({ job, ttl, renew, file, ...options }: TokenOptions, command: Command) => {
      const ttlSeconds = ttl ?? (renew ? RENEWED_SECONDS : DEFAULT_SECONDS)
      if (renew && ttlSeconds < SHORTEST_RENEWED_SECONDS)
        command.error('error: with --renew, --ttl must be 1h at least')
      const wanted = { job, ttlSeconds, isRenewed: renew }
      // Docker Compose starts it before each runner, also after a release was rolled back.
      return withStore(
        io,
        async (store) => {
          if (file !== undefined) return intoFile(io, store, { wanted, file, options })
          const { id, token, expires_at } = await createRunnerToken(store, wanted)
          await printResult(io, options, { data: { id, job, token, expires_at }, names: [job] })
        },
        { worksWithNewer: true },
      )
    })

interface FileContext {
  readonly wanted: Parameters<typeof createRunnerToken>[1]
  readonly file: string
  readonly options: OutputOptions
}

/** Puts a token into a file where it has none that works. A renewed one is another text than at first. */
async function intoFile(io: ProcessIo, store: Store, { wanted, file, options }: FileContext): Promise<void> {
  const { job, isRenewed } = wanted
  const path = pathIn(io, file)
  const kept = (await explained(file, readPrivateFile(path))) ?? ''
  const found = await findLiveRunnerToken(store, kept)
  const isKept = found?.job === job && (found.renewMs !== null) === isRenewed
  if (!isKept) {
    // Nobody would have a token whose file cannot be written.
    await explained(file, tryToReplace(path))
    const { token } = await createRunnerToken(store, wanted)
    await explained(file, replacePrivateFile(path, `${token}\n`))
  }
  await printResult(io, options, { data: { job, file, created: !isKept }, names: [job] })
}

/** Names the file where the system refuses it. */
const explained = <T>(file: string, work: Promise<T>): Promise<T> =>
  work.catch((cause: unknown) => {
    throw new TokenFileError(file, cause)
  })

class TokenFileError extends ExplainedError {
  override readonly name = 'TokenFileError'
  constructor(file: string, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    super(`the token cannot be kept in ${file} (${code}); name a file in a folder that this user may write to`, {
      cause,
    })
  }
}

export const revokeRunnerTokenCommand = (io: ProcessIo) =>
  new Command('revoke-runner-token')
    .description('Revokes all tokens of a Job at once. Other runners get its checks when their leases end.')
    .requiredOption('--job <name>', 'the name of the Job', jobName)
    .addHelpText('after', '\nExample:\n  $ ./tidemark admin revoke-runner-token --job runner-7\n')
    .action(({ job, ...options }: Pick<TokenOptions, 'job'> & OutputOptions) =>
      withStore(io, async (store) =>
        printResult(io, options, { data: { job, revoked: await revokeRunnerTokens(store, job) }, names: [job] }),
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
