import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How cosign signs: options of its commands. */
interface SigningOptions extends AsyncDisposable {
  readonly options: readonly string[]
}

/** No public log: who checks a signature has the key. */
const WITHOUT_LOG = {
  mediaType: 'application/vnd.dev.sigstore.signingconfig.v0.2+json',
  caUrls: [],
  oidcUrls: [],
  rekorTlogUrls: [],
  tsaUrls: [],
  rekorTlogConfig: {},
  tsaConfig: {},
}

/** Returns how to sign with a key, or, without one, as who runs this, which cosign writes into a public log. */
export async function signingOf({ key }: { readonly key: string | null }): Promise<SigningOptions> {
  if (key === null) return { options: ['--yes'], [Symbol.asyncDispose]: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-signing-'))
  const config = join(folder, 'signing.json')
  await writeFile(config, JSON.stringify(WITHOUT_LOG))
  return {
    options: ['--yes', '--key', key, '--signing-config', config],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
