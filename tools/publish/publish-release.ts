import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKSUMS, sha256Of } from '../release/checksums.ts'
import type { ReleasedImage, ReleaseManifest } from '../release/release-manifest.ts'
import { BUNDLE, checkedManifest } from './checked-manifest.ts'
import { signChart } from './helm-provenance.ts'
import { craneOptions, isPublished, publishedDigest, publishedLayers } from './is-published.ts'
import { PublishError } from './publish-error.ts'
import { createRunProgram, type RunProgram } from './run-program.ts'
import { signingOf } from './signing-of.ts'

/** What is published, and where. */
interface Publishing {
  /** The folder of a release. */
  readonly folder: string
  readonly kinds: readonly ('images' | 'chart' | 'packages' | 'checksums')[]
  /** The private key of cosign. Null: keyless. */
  readonly key: string | null
  /** The key of gpg with which the chart is signed for Helm. Null: it is not. */
  readonly gpgKey: string | null
  /** The registry of the chart, with its folder. */
  readonly charts: string
  /** Null: that of npm's configuration. */
  readonly npmRegistry: string | null
  /** Whether the registries of images and charts have no TLS. */
  readonly isPlainHttp: boolean
  /** Whether commands are only printed. */
  readonly isDry: boolean
  says(line: string): void
}

/** The same, with how cosign signs. */
interface Signing extends Publishing {
  readonly signing: readonly string[]
}

/** Publishes a release, and signs it. Throws a PublishError. */
export async function publishRelease(publishing: Publishing): Promise<void> {
  const { folder, isDry, says } = publishing
  const manifest = await checkedManifest(folder)
  const run = createRunProgram(isDry, says)
  await using signing = await signingOf(publishing)
  await publishKinds({ ...publishing, signing: signing.options }, manifest, run)
  says(`\n${isDry ? 'Nothing was' : `The release ${manifest.version} is`} published.`)
}

async function publishKinds(publishing: Signing, manifest: ReleaseManifest, run: RunProgram): Promise<void> {
  const { folder, kinds } = publishing
  if (kinds.includes('images'))
    for (const image of manifest.images) await publishImage(publishing, manifest, image, run)
  if (kinds.includes('chart') && manifest.chart !== null) await publishChart(publishing, manifest, manifest.chart, run)
  if (kinds.includes('packages')) for (const path of manifest.packages) await publishPackage(publishing, path, run)
  if (kinds.includes('checksums')) await signFile(publishing, join(folder, CHECKSUMS), run)
}

async function publishImage(
  publishing: Signing,
  { version }: ReleaseManifest,
  { repository, digest, archive, boms }: ReleasedImage,
  run: RunProgram,
): Promise<void> {
  const layout = await mkdtemp(join(tmpdir(), 'tidemark-layout-'))
  try {
    await run('tar', ['-xf', join(publishing.folder, archive), '-C', layout])
    const plain = craneOptions(publishing.isPlainHttp)
    await refuseOther(publishing, `${repository}:${version}`, digest)
    await run('crane', ['push', ...plain, layout, `${repository}:${version}`])
    const found = await run('crane', ['digest', ...plain, `${repository}:${version}`])
    if (!publishing.isDry && found !== digest)
      throw new PublishError(`${repository}:${version} has the digest ${found} in the registry, and not ${digest}.`)
    await sign(publishing, `${repository}@${digest}`, run)
    const attest = ['attest', ...publishing.signing, ...insecure(publishing), '--type', 'cyclonedx']
    for (const bom of boms)
      await run('cosign', [...attest, '--predicate', join(publishing.folder, bom), `${repository}@${digest}`])
  } finally {
    await rm(layout, { recursive: true, force: true })
  }
}

/** A version that is published never becomes another one: its readers have verified it. */
async function refuseOther({ isPlainHttp, isDry }: Publishing, reference: string, digest: string): Promise<void> {
  const found = isDry ? null : await publishedDigest(reference, isPlainHttp)
  if (found !== null && found !== digest)
    throw new PublishError(`${reference} is published, with the digest ${found}, and not ${digest}. Use a new version.`)
}

async function publishChart(
  publishing: Signing,
  { version }: ReleaseManifest,
  chart: string,
  run: RunProgram,
): Promise<void> {
  const { folder, charts, gpgKey, isPlainHttp, isDry } = publishing
  const path = join(folder, chart)
  if (gpgKey !== null && !isDry) await signChart(path, gpgKey, run)
  if (isDry || (await publishedDigest(`${charts}/tidemark:${version}`, isPlainHttp)) === null)
    await run('helm', ['push', path, `oci://${charts}`, ...(isPlainHttp ? ['--plain-http'] : [])])
  else await refuseOtherChart(publishing, version, chart)
  const digest = await run('crane', ['digest', ...craneOptions(isPlainHttp), `${charts}/tidemark:${version}`])
  await sign(publishing, `${charts}/tidemark@${isDry ? 'DIGEST' : digest}`, run)
}

/** Helm writes a time beside a chart, so the archives are compared. */
async function refuseOtherChart({ folder, charts, isPlainHttp }: Publishing, version: string, chart: string) {
  const reference = `${charts}/tidemark:${version}`
  const own = `sha256:${await sha256Of(join(folder, chart))}`
  if (!(await publishedLayers(reference, isPlainHttp)).includes(own))
    throw new PublishError(`${reference} is published, with another chart. Use a new version.`)
}

async function publishPackage(
  { folder, npmRegistry, isDry, says }: Publishing,
  path: string,
  run: RunProgram,
): Promise<void> {
  const registry = npmRegistry === null ? [] : ['--registry', npmRegistry]
  const file = join(folder, path)
  if (!isDry && (await isPublished(file, registry))) return says(`${path} is published with these bytes.`)
  await run('npm', ['publish', file, '--access', 'public', ...registry])
}

const insecure = ({ isPlainHttp }: Publishing): readonly string[] =>
  isPlainHttp ? ['--allow-http-registry', '--allow-insecure-registry'] : []

async function sign(publishing: Signing, reference: string, run: RunProgram): Promise<void> {
  await run('cosign', ['sign', ...publishing.signing, ...insecure(publishing), reference])
}

async function signFile({ signing }: Signing, path: string, run: RunProgram): Promise<void> {
  await run('cosign', ['sign-blob', ...signing, '--bundle', `${path}${BUNDLE}`, path])
}
