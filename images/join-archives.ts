import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Blob, inLayout, OCI, pathOf, writeBlob, writeIndex } from './image-archive.ts'

const run = promisify(execFile)
const DOCKER_MANIFEST = 'manifest.json'
const REFERENCE = 'io.containerd.image.name'

interface Index {
  readonly manifests: readonly (Blob & { readonly annotations: Readonly<Record<string, string>> })[]
}

interface Platform {
  readonly architecture: string
  readonly os: string
}

/**
 * Writes the archives of one image for several architectures as one: a registry and containerd then give each machine
 * its own. `manifest.json`, which Docker reads where it has no store of containerd, is that of the first architecture.
 */
async function joinArchives(archives: readonly string[], file: string): Promise<void> {
  await inLayout(file, async (layout) => {
    const read = async (path: string) => JSON.parse(await readFile(join(layout, path), 'utf8')) as unknown
    const names = new Set<string>()
    const ofDocker = new Map<string, string>()
    const manifests: (object & { readonly platform: Platform })[] = []
    for (const archive of archives) {
      await run('tar', ['-xf', archive, '-C', layout])
      const [found] = ((await read('index.json')) as Index).manifests
      if (found === undefined) throw new Error(`${archive} holds no image`)
      const { annotations, ...manifest } = found
      const { config } = (await read(pathOf(manifest))) as { readonly config: Blob }
      const { architecture, os } = (await read(pathOf(config))) as Platform
      manifests.push({ ...manifest, platform: { architecture, os } })
      ofDocker.set(architecture, await readFile(join(layout, DOCKER_MANIFEST), 'utf8'))
      names.add(annotations[REFERENCE] ?? '')
    }
    const [name = '', ...others] = names
    if (others.length > 0) throw new Error(`the archives are of different images: ${[...names].join(', ')}`)
    const sorted = manifests.toSorted((a, b) => (a.platform.architecture < b.platform.architecture ? -1 : 1))
    const [first] = sorted
    await writeFile(join(layout, DOCKER_MANIFEST), ofDocker.get(first?.platform.architecture ?? '') ?? '')
    const content = { schemaVersion: 2, mediaType: `${OCI}.index.v1+json`, manifests: sorted }
    const index = await writeBlob(join(layout, 'blobs/sha256'), content)
    await writeIndex(layout, name.slice(name.lastIndexOf('/') + 1), { mediaType: content.mediaType, ...index })
  })
}

const [, , file, ...archives] = process.argv
if (file === undefined || archives.length === 0) {
  process.stderr.write(
    'usage: node images/join-archives.ts ARCHIVE.tar ARCHIVE-OF-AMD64.tar ARCHIVE-OF-ARM64.tar\n' +
      'Writes the archives of one image for several architectures as one.\n',
  )
  process.exitCode = 2
} else await joinArchives(archives, file)
