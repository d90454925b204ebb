import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ImageName, ROOT_FILE_SYSTEMS } from '../../images/root-file-systems.ts'
import { bytesOf } from './set-up-size.ts'

/** The sizes of the images. */
export interface ImageSizes {
  readonly date: string
  readonly images: readonly {
    readonly name: ImageName
    /** On a node. */
    readonly bytes: number
    /** As a registry stores and sends it. */
    readonly compressed: number
  }[]
}

const run = promisify(execFile)
const BUILD = join(import.meta.dirname, '../../images/build-root.ts')

/** Makes the root file system of each image, and adds up its files. Needs root and Debian. */
export async function measureImageSizes(say: (line: string) => void): Promise<ImageSizes> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-image-sizes-'))
  try {
    const images = []
    for (const name of Object.keys(ROOT_FILE_SYSTEMS) as ImageName[]) {
      say(`image ${name}`)
      const root = join(folder, name)
      await run(process.execPath, [BUILD, name, root])
      const { stdout } = await run('bash', ['-ec', 'tar -C "$1" -cf - . | gzip | wc -c', 'bash', root])
      images.push({ name, bytes: await bytesOf(root, new Set()), compressed: Number(stdout) })
    }
    return { date: new Date().toISOString(), images }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
