import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PassThrough, Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'
import { type ArchitectureName, OWN_ARCHITECTURE } from './architectures.ts'

/** What an archive says of its image. */
interface Image {
  /** As in `tidemark:0.1.0`. */
  readonly name: string
  readonly entrypoint: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly ports?: readonly number[]
  readonly volumes?: readonly string[]
  /** User and group, as in `10001:10001`. Absent: root, unless the pod says who. */
  readonly user?: string
  /** Default: that of this machine. */
  readonly architecture?: ArchitectureName
  /** For a registry, whose users fetch it. */
  readonly isCompressed?: boolean
}

/** A file of a layout, whose name is its hash. */
export interface Blob {
  readonly digest: string
  readonly size: number
}

const run = promisify(execFile)
export const OCI = 'application/vnd.oci.image'
/** No owner of this machine, no time of this run, and no header that differs between file systems. */
const EQUAL = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu']
/** Of 320 MB, level 4 makes 126.4 MB in 6 s of processor time, 6 makes 124.4 in 9 s, and 9 makes 124.1 in 22 s. */
const LEVEL = 6

/**
 * Writes a root file system as an image archive of one layer: an OCI layout, which containerd imports, with the
 * manifest that `docker load` reads. The same files give the same archive.
 */
export async function writeImageArchive(root: string, image: Image, file: string): Promise<void> {
  await inLayout(file, async (layout) => {
    const blobs = join(layout, 'blobs/sha256')
    const layer = await layerOf(root, blobs, image.isCompressed === true)
    const config = await writeBlob(blobs, configOf(image, layer.diffId))
    const manifest = await writeBlob(blobs, {
      schemaVersion: 2,
      mediaType: `${OCI}.manifest.v1+json`,
      config: { mediaType: `${OCI}.config.v1+json`, ...config },
      layers: [{ mediaType: `${OCI}.layer.v1.tar${image.isCompressed ? '+gzip' : ''}`, ...layer.blob }],
    })
    await writeIndex(layout, image.name, { mediaType: `${OCI}.manifest.v1+json`, ...manifest })
    const [Config, Layers] = [pathOf(config), [pathOf(layer.blob)]]
    await writeFile(join(layout, 'manifest.json'), JSON.stringify([{ Config, RepoTags: [image.name], Layers }]))
  })
}

/** Makes a layout in a folder beside `file`, and writes it into that file. */
export async function inLayout(file: string, make: (layout: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(resolve(file)), { recursive: true })
  const layout = await mkdtemp(`${resolve(file)}.`)
  try {
    await mkdir(join(layout, 'content/blobs/sha256'), { recursive: true })
    await make(join(layout, 'content'))
    const archive = join(layout, 'archive.tar')
    // The folder of the blobs has the rights that the umask of this process gives.
    await run('tar', [...EQUAL, '--mtime=@0', '--mode=u=rwX,go=rX', '-cf', archive, '-C', join(layout, 'content'), '.'])
    await rename(archive, file)
  } finally {
    await rm(layout, { recursive: true, force: true })
  }
}

/** Names what a layout holds. */
export async function writeIndex(layout: string, name: string, content: object): Promise<void> {
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${name}`,
    'org.opencontainers.image.ref.name': name.slice(name.indexOf(':') + 1),
  }
  const index = { schemaVersion: 2, mediaType: `${OCI}.index.v1+json`, manifests: [{ ...content, annotations }] }
  await writeFile(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  await writeFile(join(layout, 'index.json'), JSON.stringify(index))
}

const configOf = (image: Image, diffId: string) => {
  const { entrypoint, environment, command = [], ports = [], volumes = [], user } = image
  const keys = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, {}]))
  return {
    architecture: image.architecture ?? OWN_ARCHITECTURE,
    os: 'linux',
    config: {
      Entrypoint: entrypoint,
      Env: Object.entries(environment).map(([key, value]) => `${key}=${value}`),
      ...(command.length > 0 && { Cmd: command }),
      ...(ports.length > 0 && { ExposedPorts: keys(ports.map((port) => `${port}/tcp`)) }),
      ...(volumes.length > 0 && { Volumes: keys(volumes) }),
      ...(user !== undefined && { User: user }),
    },
    rootfs: { type: 'layers', diff_ids: [diffId] },
  }
}

/** Writes the files of a folder as a layer. `diffId` is the hash of the layer as it is unpacked. */
async function layerOf(root: string, blobs: string, isCompressed: boolean): Promise<{ blob: Blob; diffId: string }> {
  const tar = spawn('tar', [...EQUAL, '-cf', '-', '-C', root, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((done) => tar.once('close', done))
  const unpacked = hashing()
  const blob = await blobOf(
    blobs,
    tar.stdout.pipe(unpacked),
    isCompressed ? createGzip({ level: LEVEL }) : new PassThrough(),
  )
  if ((await ended) !== 0) throw new Error(`tar could not read ${root}`)
  return { blob, diffId: unpacked.digest() }
}

/** Writes JSON as a blob. */
export const writeBlob = (blobs: string, value: object): Promise<Blob> =>
  blobOf(blobs, Readable.from([JSON.stringify(value)]), new PassThrough())

/** Writes a blob, and gives it the name that is its hash. */
async function blobOf(blobs: string, content: Readable, through: Transform): Promise<Blob> {
  const path = join(blobs, 'new')
  const hash = hashing()
  await pipeline(content, through, hash, createWriteStream(path))
  const blob = { digest: hash.digest(), size: (await stat(path)).size }
  await rename(path, join(dirname(blobs), '..', pathOf(blob)))
  return blob
}

/** Passes bytes on. `digest` tells their hash when all have passed. */
function hashing(): Transform & { digest(): string } {
  const hash = createHash('sha256')
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return Object.assign(stream, { digest: () => `sha256:${hash.digest('hex')}` })
}

export const pathOf = ({ digest }: Pick<Blob, 'digest'>): string => `blobs/${digest.replace(':', '/')}`
