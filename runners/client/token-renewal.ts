import type { Logger } from '../../core/logger.ts'
import { readPrivateFile, replacePrivateFile } from '../../platform/private-file.ts'
import type { HttpCheckSource } from './http-check-source.ts'
import { RunnerApiError } from './runner-api-error.ts'

/** Returns the token that a file keeps; null where it has none, or cannot be read now. */
export async function keptToken(file: string): Promise<string | null> {
  const text = await readPrivateFile(file).catch(() => null)
  return text !== null && TOKEN.test(text) ? text : null
}

const TOKEN = /^[!-~]{1,256}$/

interface TokenRenewalOptions {
  readonly source: Pick<HttpCheckSource, 'exchangeToken' | 'outage' | 'renewInMs' | 'tokenMs' | 'useToken'>
  /** Where the token is kept. */
  readonly file: string
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Renews the token of a runner at half of its life, and keeps it in a file. */
interface TokenRenewal {
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>
}

const LOOK_MS = 2_000
/** The runner API exchanges a token once a minute at most. */
const AGAIN_MS = 60_000
/** Another process with the same file, or one before this one, has exchanged the token within the last minute. */
const TOO_SOON_MS = 65_000
/** The longest pause after a file that could not be written: each exchange is a row of the store. */
const UNWRITABLE_MS = 3_600_000
/** An answer that is older may have been replaced by the exchange of another process with the same file. */
const FRESH_MS = 30_000

/**
 * Starts the renewal. The file is written before the new token is used: a process that is killed in between finds a
 * token in it that works. Processes that share the file use what the others have written.
 */
export function startTokenRenewal({ source, file, log }: TokenRenewalOptions): TokenRenewal {
  let nextAt = -Infinity
  let underWay: Promise<void> | null = null
  const timer = setInterval(() => {
    underWay ??= look()
      .catch((err: unknown) => {
        if (!source.outage.covers(err, 'renewals'))
          log.warn({ err, again_in_ms: nextAt - performance.now() }, 'the runner token could not be renewed')
      })
      .finally(() => {
        underWay = null
      })
  }, LOOK_MS)

  async function look(): Promise<void> {
    const kept = await keptToken(file)
    if (kept !== null && source.useToken(kept)) return
    if (source.renewInMs() !== 0 || performance.now() < nextAt) return
    nextAt = performance.now() + AGAIN_MS
    const askedAt = performance.now()
    const exchanged = await source.exchangeToken().catch((error: unknown) => {
      if (!(error instanceof RunnerApiError && error.status === 429)) throw error
      return null
    })
    if (exchanged === null) {
      nextAt = performance.now() + TOO_SOON_MS
      return
    }
    const isFresh = (): boolean => performance.now() - askedAt <= FRESH_MS
    const isKept = await replacePrivateFile(file, `${exchanged.token}\n`, isFresh).catch((cause: unknown) => {
      // A token that lives for an hour only is tried more often.
      nextAt = performance.now() + Math.min(UNWRITABLE_MS, Math.max(AGAIN_MS, source.tokenMs() / 10))
      // The error of a file has a code too, and is not an outage of the runner API.
      throw new Error(`${file} cannot be replaced`, { cause })
    })
    if (!isKept) throw new Error('the answer came too late to be used')
    source.useToken(exchanged.token)
    log.info({ file }, 'the runner token was renewed')
  }

  return {
    async stop() {
      clearInterval(timer)
      await underWay
    },
  }
}
