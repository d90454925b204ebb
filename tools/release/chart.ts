import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { committed } from '../committed-files.ts'
import { packFolder } from './archive.ts'

/** An image as the chart and the Compose file name it. */
export interface ImageReference {
  /** With its registry. */
  readonly repository: string
  /** Such as `sha256:…`. */
  readonly digest: string
}

/** The images that the chart runs, by the place in its values. */
interface ChartImages {
  readonly service: ImageReference
  readonly runner: ImageReference
}

const CHART = 'tidemark'

/** Packs the chart, as `helm package` does, with images that are named by their digests. */
export async function packChart(root: string, images: ChartImages, seconds: number, file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-chart-'))
  try {
    const chart = join(folder, CHART)
    for (const path of await committed(join(root, 'charts', CHART), ['.']))
      // .helmignore leaves them out too.
      if (!path.startsWith('examples/')) await cp(join(root, 'charts', CHART, path), join(chart, path))
    const values = join(chart, 'values.yaml')
    await writeFile(values, withImages(await readFile(values, 'utf8'), images))
    await packFolder(folder, CHART, seconds, file)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns the values of the chart with these images. Comments stay. */
export function withImages(values: string, { service, runner }: ChartImages): string {
  const document = parseDocument(values)
  for (const [place, { repository, digest }] of [
    [['image'], service],
    [['runner', 'image'], runner],
  ] as const) {
    document.setIn([...place, 'repository'], repository)
    document.setIn([...place, 'digest'], digest)
  }
  return document.toString({ lineWidth: 0 })
}
