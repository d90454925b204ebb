import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { ExplainedError } from '../../core/explained-error.ts'
import type { Store } from '../../store/db/client.ts'
import { checkEncryptionKey, forgetOtherKeys, isKeyInUse } from '../../store/secrets/encryption-key-check.ts'
import { reEncrypt } from '../../store/secrets/re-encrypt.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { print, withStore } from '../boot/parts/with-store.ts'
import { addKeyToFile, keepNewestInFile } from '../boot/settings/encryption-key.ts'

/** Returns the command that encrypts everything with a new key. */
export const rotateKeyCommand = (): Command =>
  new Command('rotate-key')
    .description(
      'Encrypts every stored secret with the newest encryption key. Servers may run meanwhile. When it is killed, ' +
        'run it again: it goes on.',
    )
    .option('--json', 'print JSON for scripts', false)
    .addHelpText(
      'after',
      `
Where the key is in the data folder (TIDEMARK_ENCRYPTION_KEY is not set), this is all there is to do. A server that
runs takes up the new key by itself.
  $ ./tidemark admin rotate-key

Elsewhere, put a new key before the old one, start every process with that list, and run:
  $ TIDEMARK_ENCRYPTION_KEY=<new>,<old> ./tidemark admin rotate-key
Then remove the old key. See docs/settings.md.
`,
    )
    .action(({ json }: { readonly json: boolean }) =>
      withStore(async (store, { encryptionKey, settings, isShared }) => {
        const isInFile = settings.TIDEMARK_ENCRYPTION_KEY === undefined
        const secrets = createSecretBox(isInFile ? await addKeyToFile(settings) : encryptionKey)
        const [newest = '', ...older] = secrets.keyIds
        // The server notes the key when it has taken it up. From then on it writes nothing with another one.
        if (isInFile && isShared) await untilInUse(store, newest)
        else await checkEncryptionKey(store, secrets)
        const showProgress = process.stderr.isTTY && !json
        const { rows, seen, unreadable, isIncomplete } = await reEncrypt(store, secrets, (soFar) => {
          if (showProgress) process.stderr.write(`\r${soFar.seen} rows seen, ${soFar.rows} encrypted again `)
        })
        if (showProgress) process.stderr.write('\n')
        const isDone = unreadable.length === 0 && !isIncomplete
        if (isInFile && isDone) {
          await keepNewestInFile(settings)
          await forgetOtherKeys(store, newest)
        }
        print(json, {
          key: newest,
          rows_seen: seen,
          rows_encrypted: rows,
          old_keys_may_be_removed: isDone,
          ...(unreadable.length > 0 && { rows_unreadable: unreadable }),
        })
        if (!json) process.stdout.write(`${sentence({ isDone, isIncomplete, isInFile, hasOlder: older.length > 0 })}\n`)
        if (!isDone) process.exitCode = 1
      }),
    )

interface End {
  readonly isIncomplete: boolean
  readonly isDone: boolean
  readonly isInFile: boolean
  readonly hasOlder: boolean
}

function sentence({ isDone, isIncomplete, isInFile, hasOlder }: End): string {
  if (isIncomplete) return 'Some rows were in use all the time. Keep the old key, and run this again.'
  if (!isDone)
    return 'The rows above do not open with any listed key. Set their values again, or delete them, and run this again.'
  if (isInFile) return 'The old key was removed from the data folder. Make a backup of the new one.'
  return hasOlder
    ? 'The old keys may be removed from TIDEMARK_ENCRYPTION_KEY once every process was started with this list.'
    : 'TIDEMARK_ENCRYPTION_KEY lists one key only. To rotate it, put a new key before it: <new>,<old>.'
}

/** A server that runs reads the file again each second. */
const TAKEN_UP_WITHIN_MS = 30_000
const ASK_EVERY_MS = 250

async function untilInUse(store: Store, key: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < TAKEN_UP_WITHIN_MS; waitedMs += ASK_EVERY_MS) {
    if (await isKeyInUse(store, key)) return
    await pause(ASK_EVERY_MS)
  }
  throw new NotTakenUpError()
}

/** The server that runs writes with the old key still. */
class NotTakenUpError extends ExplainedError {
  override readonly name = 'NotTakenUpError'
  constructor() {
    super(
      'the server that runs did not take up the new key within 30 seconds, and nothing was encrypted again; the data ' +
        'folder has both keys: stop the server, run this again, and start it',
    )
  }
}
