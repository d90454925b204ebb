import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

/** What an archive says of its image. */
interface Image {
  /** As in `tidemark:0.1.0`. */
  readonly name: string
  readonly entrypoint: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** User and group, as in `10001:10001`. Absent: root, unless the pod says who. */
  readonly user?: string
}

interface Blob {
  readonly digest: string
  readonly size: number
}

const run = promisify(execFile)
const OCI = 'application/vnd.oci.image'
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64' }

/**
 * Writes a root file system as an image archive of one layer: an OCI layout, which containerd imports, with the
 * manifest that `docker load` reads. The same files give the same archive, except for the times of the files of the
 * layout.
 */
export async function writeImageArchive(root: string, image: Image, file: string): Promise<void> {
  await mkdir(dirname(resolve(file)), { recursive: true })
  const layout = await mkdtemp(`${resolve(file)}.`)
  try {
    const blobs = join(layout, 'blobs/sha256')
    await mkdir(blobs, { recursive: true })
    const layer = await blobOf(blobs, (path) =>
      run('tar', ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '-cf', path, '-C', root, '.']),
    )
    const json = (value: object) => blobOf(blobs, (path) => writeFile(path, JSON.stringify(value)))
    const config = await json(configOf(image, layer))
    const manifest = await json({
      schemaVersion: 2,
      mediaType: `${OCI}.manifest.v1+json`,
      config: { mediaType: `${OCI}.config.v1+json`, ...config },
      layers: [{ mediaType: `${OCI}.layer.v1.tar`, ...layer }],
    })
    const full = `docker.io/library/${image.name}`
    const annotations = {
      'io.containerd.image.name': full,
      'org.opencontainers.image.ref.name': image.name.slice(image.name.indexOf(':') + 1),
    }
    const index = { schemaVersion: 2, manifests: [{ mediaType: `${OCI}.manifest.v1+json`, ...manifest, annotations }] }
    await writeFile(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
    await writeFile(join(layout, 'index.json'), JSON.stringify(index))
    const [Config, Layers] = [pathOf(config), [pathOf(layer)]]
    await writeFile(join(layout, 'manifest.json'), JSON.stringify([{ Config, RepoTags: [image.name], Layers }]))
    const archive = join(layout, 'archive.tar')
    await run('tar', ['-cf', archive, '-C', layout, 'oci-layout', 'index.json', 'manifest.json', 'blobs'])
    await rename(archive, file)
  } finally {
    await rm(layout, { recursive: true, force: true })
  }
}

const configOf = ({ entrypoint, environment, user }: Image, layer: Blob) => ({
  architecture: ARCHITECTURES[process.arch] ?? process.arch,
  os: 'linux',
  config: {
    Entrypoint: entrypoint,
    Env: Object.entries(environment).map(([key, value]) => `${key}=${value}`),
    ...(user !== undefined && { User: user }),
  },
  rootfs: { type: 'layers', diff_ids: [layer.digest] },
})

/** Writes a blob, and gives it the name that is its hash. */
async function blobOf(folder: string, write: (path: string) => Promise<unknown>): Promise<Blob> {
  const path = join(folder, 'new')
  await write(path)
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  const hex = hash.digest('hex')
  await rename(path, join(folder, hex))
  return { digest: `sha256:${hex}`, size: (await stat(join(folder, hex))).size }
}

const pathOf = ({ digest }: Blob): string => `blobs/${digest.replace(':', '/')}`
