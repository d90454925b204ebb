import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ArchitectureName } from '../../images/architectures.ts'
import { npmClosure } from '../../images/npm-closure.ts'
import { type ImageName, ROOT_FILE_SYSTEMS } from '../../images/root-file-systems.ts'
import { PUBLIC_NAMES } from '../../schema/public-names.ts'
import { BORDERS } from '../check/border-table.ts'
import { type Bom, bomOfImage, bomOfPackage } from './bom.ts'
import { sectionOf } from './changelog.ts'
import { packChart, withImages } from './chart.ts'
import { CHECKSUMS, checksumsOf, filesOf, hashed } from './checksums.ts'
import { composeOf } from './compose.ts'
import { provenanceOf } from './provenance.ts'
import { UNFINISHED } from './release-faults.ts'
import { RELEASE_MANIFEST, type ReleasedImage, type ReleaseManifest } from './release-manifest.ts'

const run = promisify(execFile)
/** What the dashboard is built of. It is for developers by the lockfile, and runs in browsers. */
const DASHBOARD = BORDERS['dashboard']?.packages ?? []
const LOCKS = ['package-lock.json', 'pulumi/package-lock.json']
const PROVENANCE = 'provenance.intoto.json'

/** What is released, and into which folder. */
interface Release {
  readonly root: string
  readonly version: string
  /** It is made anew. */
  readonly target: string
  readonly hasImages: boolean
  readonly architectures: readonly ArchitectureName[]
  /** The registry of the images, with its folder. */
  readonly registry: string
  /** Who builds, as a URI. */
  readonly builder: string
  /** Whether it is made of the tag of its version, and of nothing else. */
  readonly isOfTag: boolean
  /** Takes a line of progress. */
  says(line: string): void
}

/** Does a part of the work, and says how long it took. */
type Step = <T>(what: string, work: () => Promise<T>) => Promise<T>

/** Makes all files of a release. Two builds of one commit give the same bytes. */
export async function buildRelease(release: Release): Promise<void> {
  const { root, version, target, says } = release
  const commit = await git(root, 'rev-parse', 'HEAD')
  const seconds = Number(await git(root, 'log', '-1', '--format=%ct'))
  await rm(target, { recursive: true, force: true })
  for (const folder of ['npm', 'sbom']) await mkdir(join(target, folder), { recursive: true })
  // A folder that was not finished can be made anew, and is not published.
  await writeFile(join(target, UNFINISHED), '')
  const step: Step = async (what, work) => {
    const start = performance.now()
    const result = await work()
    says(`${what.padEnd(40)} ${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s`)
    return result
  }
  await step('the package of npm', () => packNpm(root, target))
  await step('definitions, OpenAPI, changelog', () => copyTexts(release))
  await step('components of the packages', () => writePackageBoms(release, seconds))
  const images = release.hasImages ? await buildImages(release, seconds, step) : null
  if (images !== null) {
    await step('chart', () => packReleasedChart(release, images, seconds))
    await writeCompose(release, images)
  }
  await step('the package for Pulumi', () => packPulumi(release, images))
  await writeManifest(release, commit, images)
  await step('checksums and provenance', () => writeProofs(release, commit))
  says(`\n${target} has the release ${version} of ${commit.slice(0, 12)}.`)
}

const git = async (root: string, ...args: readonly string[]): Promise<string> =>
  (await run('git', args, { cwd: root })).stdout.trim()

/** Packs the command with the server. */
async function packNpm(root: string, target: string): Promise<void> {
  const built = await mkdtemp(join(tmpdir(), 'tidemark-package-'))
  try {
    await run(process.execPath, [join(root, 'tools/build-dashboard.ts')], { cwd: root })
    await run(process.execPath, [join(root, 'tools/package.ts'), built], { cwd: root })
    for (const name of await readdir(built))
      if (name.endsWith('.tgz')) await cp(join(built, name), join(target, 'npm', name))
  } finally {
    await rm(built, { recursive: true })
  }
}

/** Packs the provider for Pulumi, with a chart that names the images of this release. */
async function packPulumi({ root, target }: Release, images: Images | null): Promise<void> {
  const cwd = join(root, 'pulumi')
  if (!existsSync(join(cwd, 'node_modules'))) await run('npm', ['ci'], { cwd })
  await run('npm', ['run', 'build'], { cwd })
  const values = join(cwd, 'chart/values.yaml')
  if (images !== null) await writeFile(values, withImages(await readFile(values, 'utf8'), chartImages(images)))
  await run('npm', ['pack', '--pack-destination', join(target, 'npm')], { cwd })
}

async function copyTexts({ root, version, target }: Release): Promise<void> {
  const definitions = (await readdir(join(root, 'crds'))).filter((name) => name.endsWith('.yaml')).toSorted()
  const texts = await Promise.all(definitions.map((name) => readFile(join(root, 'crds', name), 'utf8')))
  await writeFile(join(target, 'crds.yaml'), texts.map((text) => `---\n${text.replace(/^---\n/, '')}`).join(''))
  await cp(join(root, 'api/openapi.json'), join(target, 'openapi.json'))
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  await writeFile(join(target, 'CHANGES.md'), `${sectionOf(changelog, version) ?? ''}\n`)
}

const writeBom = (path: string, bom: Bom): Promise<void> => writeFile(path, `${JSON.stringify(bom, null, 2)}\n`)

async function writePackageBoms({ root, target }: Release, seconds: number): Promise<void> {
  const { command, pulumi } = PUBLIC_NAMES.npm
  const builtIn = await npmClosure(root, DASHBOARD)
  await writeBom(
    join(target, 'sbom/npm-tidemark.cdx.json'),
    await bomOfPackage(root, { name: command, seconds, builtIn }),
  )
  await writeBom(
    join(target, 'sbom/npm-pulumi.cdx.json'),
    await bomOfPackage(join(root, 'pulumi'), { name: pulumi, seconds, builtIn: [] }),
  )
}

type Images = Readonly<Record<ImageName, ReleasedImage>>

async function buildImages(release: Release, seconds: number, step: Step): Promise<Images> {
  await mkdir(join(release.target, 'images'))
  const built: [string, ReleasedImage][] = []
  for (const name of Object.keys(ROOT_FILE_SYSTEMS) as ImageName[])
    built.push([name, await buildImage(release, name, seconds, step)])
  return Object.fromEntries(built) as Images
}

/** Returns the packages in the dashboard of an image. None: it has no dashboard. */
const dashboardOf = async (root: string, files: string): Promise<readonly string[]> =>
  existsSync(join(files, 'opt/tidemark/dashboard')) ? npmClosure(root, DASHBOARD) : []

/** Builds an image for each architecture, and joins them into one. */
async function buildImage(
  { root, version, target, registry, architectures }: Release,
  name: ImageName,
  seconds: number,
  step: Step,
): Promise<ReleasedImage> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-image-'))
  const script = (file: string, ...args: readonly string[]) =>
    run(process.execPath, [join(root, 'images', file), ...args], { cwd: root })
  try {
    const [archives, boms]: [string[], string[]] = [[], []]
    for (const arch of architectures) {
      const [files, archive] = [join(folder, arch), join(folder, `${arch}.tar`)]
      await step(`image ${name} for ${arch}`, () =>
        script('build-root.ts', name, files, archive, '--arch', arch, '--compress'),
      )
      archives.push(archive)
      const bom = `sbom/image-${name}-${arch}.cdx.json`
      await writeBom(
        join(target, bom),
        await bomOfImage(files, version, { name, seconds, builtIn: await dashboardOf(root, files) }, root),
      )
      boms.push(bom)
    }
    const archive = `images/${name}-${version}.tar`
    await script('join-archives.ts', join(target, archive), ...archives)
    return { name, repository: `${registry}/${name}`, digest: await digestOf(join(target, archive)), archive, boms }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the digest under which a registry has the image of an archive. */
async function digestOf(archive: string): Promise<string> {
  const { stdout } = await run('tar', ['-xOf', archive, './index.json'])
  const { manifests } = JSON.parse(stdout) as { readonly manifests: readonly { readonly digest: string }[] }
  const [manifest] = manifests
  if (manifest === undefined) throw new Error(`${archive} has no image`)
  return manifest.digest
}

async function packReleasedChart({ root, version, target }: Release, images: Images, seconds: number): Promise<void> {
  await mkdir(join(target, 'charts'))
  await packChart(root, chartImages(images), seconds, join(target, chartOf(version)))
}

const chartImages = (images: Images) => ({ service: images['tidemark-service'], runner: images['tidemark-runner'] })
const chartOf = (version: string): string => `charts/tidemark-${version}.tgz`

async function writeManifest({ version, target }: Release, commit: string, images: Images | null): Promise<void> {
  const packages = (await readdir(join(target, 'npm'))).toSorted().map((name) => `npm/${name}`)
  const chart = images === null ? null : chartOf(version)
  const manifest: ReleaseManifest = { version, commit, packages, images: Object.values(images ?? {}), chart }
  await writeFile(join(target, RELEASE_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
}

async function writeCompose({ root, version, target }: Release, images: Images): Promise<void> {
  const text = await readFile(join(root, 'compose.yaml'), 'utf8')
  await writeFile(join(target, 'compose.yaml'), composeOf(text, version, images))
  await cp(join(root, 'charts/tidemark/files/seccomp/chromium.json'), join(target, 'chromium-seccomp.json'))
}

/** Writes how the files were made, and the checksums of all, that text among them. */
async function writeProofs({ root, version, target, builder, isOfTag }: Release, commit: string): Promise<void> {
  await rm(join(target, UNFINISHED))
  const source = { version, commit, builder, isOfTag, locks: await hashed(root, LOCKS) }
  const provenance = provenanceOf(PUBLIC_NAMES, source, await filesOf(target))
  await writeFile(join(target, PROVENANCE), `${JSON.stringify(provenance, null, 2)}\n`)
  await writeFile(join(target, CHECKSUMS), checksumsOf(await filesOf(target)))
}
