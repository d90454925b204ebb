import { startBrowserLauncher } from '../../runners/browser/chromium/browser-launcher.ts'
import type { Config } from '../../schema/config/config.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { untilStopped } from '../boot/process/until-stopped.ts'
import { readSettings } from '../boot/settings/read-config.ts'
import { print } from '../print.ts'

/** Starts browsers for the runner of the same pod, until a signal comes. */
export async function browser(): Promise<void> {
  const settings = readSettings(process.env, missing)
  await untilStopped(settings, async ({ log, stack }) => {
    const { TIDEMARK_BROWSER_SOCKET: socket = '', CHROMIUM_PATH: path = null, TIDEMARK_DATA_DIR: dataDir } = settings
    const launcher = await startBrowserLauncher({ socket, path, dataDir, log })
    stack.defer('the browsers', () => launcher.close())
    print(`Tidemark starts browsers for the runner at ${socket}\n`)
  })
}

function missing({ TIDEMARK_BROWSER_SOCKET: socket }: Config): Issue[] {
  if (socket !== undefined) return []
  return [{ path: 'TIDEMARK_BROWSER_SOCKET', message: 'is required by "tidemark browser": it listens there' }]
}
