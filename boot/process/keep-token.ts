import { tryToReplace } from '../../platform/private-file.ts'
import type { HttpCheckSource } from '../../runners/client/http-check-source.ts'
import { startTokenRenewal } from '../../runners/client/token-renewal.ts'
import { SettingsError } from '../settings/read-config.ts'
import type { ProcessContext } from './until-stopped.ts'

/**
 * Renews the token of a runner in its file from now on. A token that is renewed needs a file that can be replaced: it
 * throws SettingsError where there is none.
 */
export async function keepToken(
  source: HttpCheckSource,
  { log, stack, tokenFile: file }: Pick<ProcessContext, 'log' | 'stack'> & { readonly tokenFile: string | null },
): Promise<void> {
  if (source.renewInMs() !== null) await needsFile(file)
  // A worker of the version before does not say yet that the token is renewed.
  if (file === null) return
  const renewal = startTokenRenewal({ source, file, log })
  stack.defer('the renewal of the token', () => renewal.stop())
}

async function needsFile(file: string | null): Promise<void> {
  if (file === null)
    throw new SettingsError([
      {
        path: 'TIDEMARK_RUNNER_TOKEN',
        message:
          'is a token that is renewed, and the next one is kept in its file: put it into one in a folder that the ' +
          'runner may write to, and name it in TIDEMARK_RUNNER_TOKEN_FILE',
      },
    ])
  try {
    await tryToReplace(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new SettingsError([
      {
        path: 'TIDEMARK_RUNNER_TOKEN_FILE',
        message:
          `names ${file}, which cannot be replaced (${code}): the token is renewed, and the next one is kept there. ` +
          'Put it into a folder that the runner may write to, and mount that folder, not the file alone',
      },
    ])
  }
}
