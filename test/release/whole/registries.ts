import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../support/network/free-port.ts'
import { startShell } from '../../support/process/cli-process.ts'

/** Programs that `npm run release-tools` makes. */
export const TOOLS = join(import.meta.dirname, '../../../node_modules/.cache/release-tools')

/** A registry of images and one of npm, on loopback. */
export interface Registries extends AsyncDisposable {
  /** Host and port. */
  readonly images: string
  /** An address. */
  readonly npm: string
}

/**
 * Starts both, with what they store in a folder. That of npm takes what it does not have from the registry `upstream`.
 */
export async function openRegistries(folder: string, upstream: string): Promise<Registries> {
  const stack = new AsyncDisposableStack()
  const images = `127.0.0.1:${await freePort()}`
  const config = join(folder, 'registry.yaml')
  const storage = join(folder, 'images')
  await writeFile(
    config,
    JSON.stringify({ version: '0.1', storage: { filesystem: { rootdirectory: storage } }, http: { addr: images } }),
  )
  const registry = stack.use(startShell(`exec "${TOOLS}/registry" serve "${config}"`))
  await registry.complains(/listening on/)
  const npm = `127.0.0.1:${await freePort()}`
  await mkdir(join(folder, 'npm'))
  const packages = { '**': { access: '$all', publish: '$all', proxy: 'upstream' } }
  const verdaccio = {
    storage: join(folder, 'npm'),
    uplinks: { upstream: { url: upstream } },
    packages: {
      tidemark: { access: '$all', publish: '$all' },
      '@tidemark/*': { access: '$all', publish: '$all' },
      ...packages,
    },
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
    max_body_size: '100mb',
  }
  const file = join(folder, 'verdaccio.yaml')
  await writeFile(file, JSON.stringify(verdaccio))
  const bin = join(TOOLS, 'verdaccio/node_modules/verdaccio/bin/verdaccio')
  // It reaches the other registry as this machine does: by its proxy, with its certificates.
  const environment = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']))
  const line = `exec "${process.execPath}" "${bin}" --config "${file}" --listen ${npm}`
  const server = stack.use(startShell(line, environment))
  await server.says(/http address/)
  return { images, npm: `http://${npm}/`, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
