import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKSUMS } from '../release/checksums.ts'
import type { ReleasedImage, ReleaseManifest } from '../release/release-manifest.ts'
import { BUNDLE, checkedManifest } from './checked-manifest.ts'
import { signChart } from './helm-provenance.ts'
import { PublishError } from './publish-error.ts'
import { createRunProgram, type RunProgram } from './run-program.ts'

/** What is published, and where. */
export interface Publishing {
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

/** Publishes a release, and signs it. Throws a PublishError. */
export async function publishRelease(publishing: Publishing): Promise<void> {
  const { folder, kinds, isDry, says } = publishing
  const manifest = await checkedManifest(folder)
  const run = createRunProgram(isDry, says)
  if (kinds.includes('images'))
    for (const image of manifest.images) await publishImage(publishing, manifest, image, run)
  if (kinds.includes('chart') && manifest.chart !== null) await publishChart(publishing, manifest, manifest.chart, run)
  if (kinds.includes('packages')) for (const path of manifest.packages) await publishPackage(publishing, path, run)
  if (kinds.includes('checksums')) await signFile(publishing, join(folder, CHECKSUMS), run)
  says(`\n${isDry ? 'Nothing was' : `The release ${manifest.version} is`} published.`)
}

async function publishImage(
  publishing: Publishing,
  { version }: ReleaseManifest,
  { repository, digest, archive, name }: ReleasedImage,
  run: RunProgram,
): Promise<void> {
  const layout = await mkdtemp(join(tmpdir(), 'tidemark-layout-'))
  try {
    await run('tar', ['-xf', join(publishing.folder, archive), '-C', layout])
    const plain = publishing.isPlainHttp ? ['--insecure'] : []
    await run('crane', ['push', ...plain, layout, `${repository}:${version}`])
    const found = await run('crane', ['digest', ...plain, `${repository}:${version}`])
    if (!publishing.isDry && found !== digest)
      throw new PublishError(`${repository}:${version} has the digest ${found} in the registry, and not ${digest}.`)
    await sign(publishing, `${repository}@${digest}`, run)
    const bom = join(publishing.folder, 'sbom', `image-${name}.cdx.json`)
    const attest = ['attest', '--yes', ...keyOf(publishing), ...insecure(publishing), '--type', 'cyclonedx']
    await run('cosign', [...attest, '--predicate', bom, `${repository}@${digest}`])
  } finally {
    await rm(layout, { recursive: true, force: true })
  }
}

async function publishChart(
  publishing: Publishing,
  { version }: ReleaseManifest,
  chart: string,
  run: RunProgram,
): Promise<void> {
  const { folder, charts, gpgKey, isPlainHttp, isDry } = publishing
  const path = join(folder, chart)
  if (gpgKey !== null && !isDry) await signChart(path, gpgKey, run)
  await run('helm', ['push', path, `oci://${charts}`, ...(isPlainHttp ? ['--plain-http'] : [])])
  const digest = await run('crane', ['digest', ...(isPlainHttp ? ['--insecure'] : []), `${charts}/tidemark:${version}`])
  await sign(publishing, `${charts}/tidemark@${isDry ? 'DIGEST' : digest}`, run)
}

async function publishPackage({ folder, npmRegistry }: Publishing, path: string, run: RunProgram): Promise<void> {
  const registry = npmRegistry === null ? [] : ['--registry', npmRegistry]
  await run('npm', ['publish', join(folder, path), '--access', 'public', ...registry])
}

const keyOf = ({ key }: Publishing): readonly string[] => (key === null ? [] : ['--key', key])
const insecure = ({ isPlainHttp }: Publishing): readonly string[] =>
  isPlainHttp ? ['--allow-http-registry', '--allow-insecure-registry'] : []

async function sign(publishing: Publishing, reference: string, run: RunProgram): Promise<void> {
  await run('cosign', ['sign', '--yes', ...keyOf(publishing), ...insecure(publishing), reference])
}

async function signFile(publishing: Publishing, path: string, run: RunProgram): Promise<void> {
  await run('cosign', ['sign-blob', '--yes', ...keyOf(publishing), '--bundle', `${path}${BUNDLE}`, path])
}
