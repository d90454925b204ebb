import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'

interface BuildOptions {
  /** Open pages load themselves again after the next build. */
  readonly reloads?: boolean
}

/** What was built: files that the server sends, their compressed bytes, and milliseconds. */
interface Built {
  readonly files: number
  readonly bytes: number
  readonly ms: number
}

/**
 * Builds the dashboard of `source` into `target`: `index.html`, and below `assets/<hash>/` what it loads. The hash is
 * that of all these files, so that an address never has two contents, and a page that was loaded before an upgrade asks
 * for addresses that are gone, instead of code of two versions. Each file has its compressed form beside it. Two builds
 * of the same source are equal.
 */
export async function buildDashboard(
  source: string,
  target: string,
  { reloads = false }: BuildOptions = {},
): Promise<Built> {
  const start = performance.now()
  const output = await inProduction(() => bundle(source, reloads))
  const files = output
    .map((file) => ({ name: file.fileName, content: file.type === 'chunk' ? file.code : file.source }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const hash = createHash('sha256')
  for (const { name, content } of files) hash.update(`${name}\0`).update(content)
  const folder = `assets/${hash.digest('base64url').slice(0, 16)}`
  const made = files.map(({ name, content }) =>
    name === 'index.html'
      ? { path: name, content: Buffer.from(String(content).replaceAll('="./', `="/${folder}/`)) }
      : { path: `${folder}/${name}`, content: Buffer.from(content) },
  )
  // Made beside the target and put in its place, so that a server never reads half of a build.
  const beside = `${target}.new`
  await rm(beside, { recursive: true, force: true })
  let bytes = 0
  for (const { path, content } of made) {
    const compressed = gzipSync(content, { level: 9 })
    bytes += compressed.length
    await mkdir(dirname(join(beside, path)), { recursive: true })
    await writeFile(join(beside, path), content)
    await writeFile(join(beside, `${path}.gz`), compressed)
  }
  await rm(target, { recursive: true, force: true })
  await rename(beside, target)
  return { files: made.length, bytes, ms: performance.now() - start }
}

/** Vite takes another value of the environment for a wish, and builds with checks and paths of this machine. */
async function inProduction<T>(work: () => Promise<T>): Promise<T> {
  const before = process.env['NODE_ENV']
  process.env['NODE_ENV'] = 'production'
  try {
    return await work()
  } finally {
    if (before === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = before
  }
}

async function bundle(
  source: string,
  reloads: boolean,
): Promise<readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]> {
  const result = await build({
    root: source,
    // Addresses within code and styles are relative to the file. Those in index.html get the hash of the build.
    base: './',
    configFile: false,
    envDir: false,
    publicDir: false,
    mode: 'production',
    logLevel: 'error',
    define: { RELOADS: String(reloads) },
    css: { modules: { generateScopedName: (name, file) => `${name}-${shortHash(file.slice(source.length) + name)}` } },
    build: {
      write: false,
      target: 'es2023',
      modulePreload: { polyfill: false },
      // Nothing is loaded from a data address.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: {
        output: { entryFileNames: 'app.js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' },
      },
    },
  })
  const { output } = (Array.isArray(result) ? result[0] : result) as Rolldown.RolldownOutput
  return output
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6)
