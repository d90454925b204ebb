import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

// `npm run release-tools` builds the programs that publish a release and check its signatures, from their Go modules.
// For the test of a release it also makes a registry of images and one of npm. It needs Go, and takes some ten minutes
// once.

/** By the name of the program. */
const MODULES: Readonly<Record<string, string>> = {
  crane: 'github.com/google/go-containerregistry/cmd/crane@v0.22.1',
  helm: 'helm.sh/helm/v3/cmd/helm@v3.21.4',
  registry: 'github.com/distribution/distribution/v3/cmd/registry@v3.1.2',
  cosign: 'github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3',
}

/** A dependency is named by a tag of npm, which some registries do not have. */
const VERDACCIO = { private: true, dependencies: { verdaccio: '6.10.4' }, overrides: { 'node-fetch': '2.7.0' } }

const folder = join(import.meta.dirname, '../node_modules/.cache/release-tools')
await mkdir(folder, { recursive: true })
for (const [name, module] of Object.entries(MODULES)) {
  const start = performance.now()
  await promisify(execFile)('go', ['install', module], { env: { ...process.env, GOBIN: folder } })
  console.log(`${name.padEnd(10)} ${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s`)
}
const verdaccio = join(folder, 'verdaccio')
await mkdir(verdaccio, { recursive: true })
await writeFile(join(verdaccio, 'package.json'), JSON.stringify(VERDACCIO))
await promisify(execFile)('npm', ['install'], { cwd: verdaccio })
console.log(`Put them on the path: export PATH="${folder}:$PATH"`)
