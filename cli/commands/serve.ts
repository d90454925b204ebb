import { stat } from 'node:fs/promises'
import { KINDS } from '../../boot/kinds.ts'
import type { ConfigFlags } from '../../boot/parts/config-folder.ts'
import { banner } from '../../boot/process/banner.ts'
import { runProcess, type ServerContext } from '../../boot/process/run-process.ts'
import { startApi } from '../../boot/roles/start-api.ts'
import { startWorker, type Worker } from '../../boot/roles/start-worker.ts'
import { followKeys, keyFile } from '../../boot/settings/encryption-key.ts'
import { readPlans } from '../../boot/settings/read-plans.ts'
import { withTimeout } from '../../concurrency/loops/retry.ts'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { ExplainedError } from '../../core/explained-error.ts'
import { print } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { ensureFirstOwner, hasAccount } from '../../store/accounts/accounts.ts'
import { type Store, whileStoreAway } from '../../store/db/client.ts'
import { migrate } from '../../store/db/migrate.ts'
import { teamsRunningOut } from '../../store/quota/usage-summary.ts'
import { checkEncryptionKey, noteEncryptionKey } from '../../store/secrets/encryption-key-check.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'

/** The first owner's address where TIDEMARK_OWNER_EMAIL is not set. It is only good to sign in with. */
const PLACEHOLDER = 'owner@tidemark.local'

/** Within this time a restarted Postgres accepts connections again. */
const RESTART_MS = 20_000

/** Runs everything in one process, until a signal comes. Throws an ExplainedError without the folder of `--config`. */
export async function serve(io: ProcessIo, flags: ConfigFlags): Promise<void> {
  if (flags.prune === true && flags.config === undefined) throw new PruneWithoutFolderError()
  if (flags.config !== undefined) await ensureFolder(flags.config)
  return serveAll(io, flags)
}

/** A folder that is missing at the start is misspelled. One that vanishes later changes nothing. */
async function ensureFolder(path: string): Promise<void> {
  if (path === '') throw new ConfigFolderError('is empty')
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (found instanceof Error)
    throw new ConfigFolderError(
      `${path} ${found.code === 'ENOENT' ? 'does not exist' : `cannot be read (${found.code})`}`,
    )
  if (!found.isDirectory()) throw new ConfigFolderError(`${path} is no folder`)
}

/** The folder of `--config` cannot be followed. */
class ConfigFolderError extends ExplainedError {
  override readonly name = 'ConfigFolderError'
  constructor(what: string) {
    super(`--config ${what}: name a folder of manifests, which may be empty; nothing was started`)
  }
}

/** There is no folder whose files could be gone. */
class PruneWithoutFolderError extends ExplainedError {
  override readonly name = 'PruneWithoutFolderError'
  constructor() {
    super('--prune is about the folder of --config: name that as well, or leave --prune out; nothing was started')
  }
}

const serveAll = (io: ProcessIo, flags: ConfigFlags): Promise<void> =>
  runProcess({
    command: 'serve',
    ports: ['PORT', 'TIDEMARK_RUNNER_API_PORT', 'TIDEMARK_METRICS_PORT'],
    run: async (context) => {
      // The embedded Postgres is restarted when it ends. Migrations are safe to repeat.
      const patienceMs = context.databaseFolder === null ? 0 : RESTART_MS
      const plans = readPlans(context.settings)
      const { databaseUrl, progress, log } = context
      await whileStoreAway(() => migrate(databaseUrl, { plans, progress }), { patienceMs, log })
      context.progress('Starting the API and the workers')
      let worker: Worker | undefined
      const keys = followedKeys(context, () => worker?.store)
      // Before anything is encrypted: a rotation may have ended since the file was read.
      await keys?.look()
      const api = await startApi({
        ...context,
        kinds: KINDS,
        wake: () => worker?.wake(),
        sinceProgress: () => worker?.sinceProgress() ?? 0,
      })
      worker = await startWorker({ ...context, kinds: KINDS, dashboardUrl: api.services.dashboardUrl })
      keys?.follow()
      // It stops before the store of the worker, in which it notes a key that it has begun to take up.
      context.stack.defer('the encryption key', async () => keys && stopWithin(keys, TAKEN_UP_WITHIN_MS))
      const email = context.settings.TIDEMARK_OWNER_EMAIL
      const owner = await ensureFirstOwner(worker.store, email ?? PLACEHOLDER, api.services.sessionKey)
      if (email !== undefined && !owner && !(await hasAccount(worker.store, email)))
        context.log.warn(
          { email },
          'TIDEMARK_OWNER_EMAIL is only for the first start, and no account has this address; ' +
            '"tidemark admin set-email" changes the address of an owner',
        )
      if (flags.config !== undefined) {
        const { followConfigFolder } = await import('../../boot/parts/config-folder.ts')
        const parts = { ...context, store: worker.store, environment: io.env, wake: () => worker?.wake() }
        await followConfigFolder(parts, flags)
      }
      print(
        io,
        banner({
          address: api.services.baseUrl,
          hasDashboard: context.settings.TIDEMARK_DASHBOARD === 'on',
          owner,
          mail: { hasAddress: email !== undefined, hasServer: context.settings.SMTP_URL !== undefined },
          runningOut: await teamsRunningOut(worker.store, 3),
          databaseFolder: context.databaseFolder,
          dataDir: context.settings.TIDEMARK_DATA_DIR,
        }),
      )
      context.ready(`Ready at ${api.services.baseUrl}`)
    },
  })

/** What was encrypted with the old key is written within this time. */
const WRITTEN_WITHIN_MS = 1_000
/** A stop waits this long for a key: a file system or a store that hangs must not use up the time of other parts. */
const TAKEN_UP_WITHIN_MS = 5_000

const stopWithin = (keys: { stop(): Promise<void> }, ms: number): Promise<void> =>
  withTimeout(keys.stop(), ms, () => {
    throw new Error(`the key file was not read, or its key not noted, in ${ms} ms`)
  })

/**
 * Takes up a new key that "tidemark admin rotate-key" writes into the data folder. The command waits until this process
 * has noted the key in the store: from then on nothing is written with the old one. Before there is a `store`, the key
 * is only taken up, and the start notes it. Null: the key is not in the data folder.
 */
function followedKeys({ settings, encryptionKey, secrets, log }: ServerContext, store: () => Store | undefined) {
  if (settings.TIDEMARK_ENCRYPTION_KEY !== undefined) return null
  return followKeys(keyFile(settings), {
    known: encryptionKey,
    async takeUp(list) {
      const open = store()
      // A file with a wrong key changes nothing.
      if (open) await checkEncryptionKey(open, createSecretBox(list))
      secrets.adopt(list)
      if (!open) return
      await sleep(WRITTEN_WITHIN_MS)
      await noteEncryptionKey(open, secrets)
      log.info({ key: secrets.keyIds[0] }, 'the encryption key in the data folder was replaced, and is used')
    },
    onFault: (err) =>
      log.warn({ err }, 'the encryption key in the data folder was replaced, and cannot be used; it is tried again'),
  })
}
