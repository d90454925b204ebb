import { Command } from 'commander'
import { type AdminContext, withStore } from '../../boot/parts/with-store.ts'
import { addKeyToFile, keepNewestInFile } from '../../boot/settings/encryption-key.ts'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { ExplainedError } from '../../core/explained-error.ts'
import { print } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import type { Store } from '../../store/db/client.ts'
import { forgetOtherKeys, isKeyInUse, noteEncryptionKey } from '../../store/secrets/encryption-key-check.ts'
import { duringRotation, reEncrypt } from '../../store/secrets/re-encrypt.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { formOf, isForPrograms, type OutputOptions, printResult } from '../output.ts'

/** Returns the command that encrypts everything with a new key. */
export const rotateKeyCommand = (io: ProcessIo): Command =>
  new Command('rotate-key')
    .description(
      'Encrypts every stored secret with the newest encryption key. Servers may run meanwhile. When it is killed, ' +
        'run it again: it goes on.',
    )
    .addHelpText(
      'after',
      `
Where the key is in the data folder (TIDEMARK_ENCRYPTION_KEY is not set), this is all there is to do. A server that
runs takes up the new key by itself.
  $ ./tidemark admin rotate-key

Where the key is in TIDEMARK_ENCRYPTION_KEY, a list of keys separated by commas, it takes four steps:
  1. Start every process with <old>,<new>, so that all of them can read what is encrypted with the new key. Without
     this step, a process that was not started again yet cannot read what the others write.
  2. Start every process with <new>,<old>.
  3. Run the command with that list:
     $ TIDEMARK_ENCRYPTION_KEY=<new>,<old> ./tidemark admin rotate-key
  4. Start every process with <new>.
docs/admin.md explains it, under "A new encryption key".
`,
    )
    .action((options: OutputOptions) =>
      withStore(io, async (store, context) => {
        const end = await duringRotation(store, (ensureAlone) => rotate(io, store, { ...context, ensureAlone }))
        if (end === null) throw new UnderWayError()
        const { newest, seen, rows, unreadable, isDone } = end
        const data = {
          key: newest,
          rows_seen: seen,
          rows_encrypted: rows,
          old_keys_may_be_removed: isDone,
          ...(unreadable.length > 0 && { rows_unreadable: unreadable }),
        }
        await printResult(io, options, { data, names: [newest] })
        const form = formOf(options)
        if (!isForPrograms(form) && form !== 'name') print(io, `${sentence(end)}\n`)
        if (!isDone) io.exitCode = 1
      }),
    )

interface Rotation extends AdminContext {
  ensureAlone(): Promise<void>
}

async function rotate(io: ProcessIo, store: Store, { encryptionKey, settings, isShared, ensureAlone }: Rotation) {
  const isInFile = settings.TIDEMARK_ENCRYPTION_KEY === undefined
  const list = isInFile ? await addKeyToFile(settings) : encryptionKey
  const secrets = createSecretBox(list)
  const [newest = '', ...older] = secrets.keyIds
  // The server notes the key when it has taken it up. From then on it writes nothing with another one.
  if (isInFile && isShared) await untilInUse(store, newest)
  else await noteEncryptionKey(store, secrets)
  const showProgress = io.stderr.isTTY
  const done = await reEncrypt(store, secrets, ({ seen, total, rows }) => {
    if (showProgress) io.stderr.write(`\r${seen} of ${Math.max(seen, total)} rows seen, ${rows} encrypted again `)
  })
  if (showProgress) io.stderr.write('\n')
  const isDone = done.unreadable.length === 0 && !done.isIncomplete
  if (isInFile && isDone) {
    await ensureAlone()
    await forgetOtherKeys(store, newest)
    await keepNewestInFile(settings, list)
  }
  return { ...done, newest, isDone, isInFile, hasOlder: older.length > 0 }
}

class UnderWayError extends ExplainedError {
  override readonly name = 'UnderWayError'
  constructor() {
    super('another rotation of the encryption key is under way; wait for its end. This one has changed nothing')
  }
}

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
    await sleep(ASK_EVERY_MS)
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
