import { untilStopped } from '../../boot/process/until-stopped.ts'
import { readSettings } from '../../boot/settings/read-config.ts'
import { print } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { startBrowserLauncher } from '../../runners/browser/chromium/browser-launcher.ts'
import { BROWSER_RULES } from '../../schema/config/setting-rules.ts'

/** Starts browsers for the runner of the same pod, until a signal comes. */
export async function browser(io: ProcessIo): Promise<void> {
  const read = () => readSettings(io.env, BROWSER_RULES)
  const settings = read()
  await untilStopped({ settings, read }, async ({ log, stack, ready }) => {
    const { TIDEMARK_BROWSER_SOCKET: socket = '', CHROMIUM_PATH: path = null, TIDEMARK_DATA_DIR: dataDir } = settings
    const launcher = await startBrowserLauncher({ socket, path, dataDir, log })
    stack.defer('the browsers', () => launcher.close())
    print(io, `Tidemark starts browsers for the runner at ${socket}\n`)
    ready(`Starting browsers for the runner at ${socket}`)
  })
}
