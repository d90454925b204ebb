import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

// `npm run release-tools` builds the programs that publish a release, check its signatures and judge workflows, from
// their Go modules. For the test of a release it also makes a registry of images and one of npm. It needs Go, and takes
// some ten minutes once. `npm run release-tools -- crane helm` makes these only.

/** By the name of the program. */
const MODULES: Readonly<Record<string, string>> = {
  crane: 'github.com/google/go-containerregistry/cmd/crane@v0.22.1',
  helm: 'helm.sh/helm/v3/cmd/helm@v3.21.4',
  registry: 'github.com/distribution/distribution/v3/cmd/registry@v3.1.2',
  actionlint: 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12',
  cosign: 'github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3',
}

/** A dependency is named by a tag of npm, which some registries do not have. */
const VERDACCIO = { private: true, dependencies: { verdaccio: '6.10.4' }, overrides: { 'node-fetch': '2.7.0' } }

const folder = join(import.meta.dirname, '../node_modules/.cache/release-tools')
const run = promisify(execFile)

async function makeVerdaccio(): Promise<void> {
  const verdaccio = join(folder, 'verdaccio')
  await mkdir(verdaccio, { recursive: true })
  await writeFile(join(verdaccio, 'package.json'), JSON.stringify(VERDACCIO))
  await run('npm', ['install'], { cwd: verdaccio })
}

const names = [...Object.keys(MODULES), 'verdaccio']
const wanted = process.argv.length > 2 ? process.argv.slice(2) : names
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`It makes ${names.join(', ')}, and ${unknown.join(', ')} is none of these.`)
  process.exit(2)
}
await mkdir(folder, { recursive: true })
for (const name of wanted) {
  const start = performance.now()
  const module = MODULES[name]
  await (module === undefined
    ? makeVerdaccio()
    : run('go', ['install', module], { env: { ...process.env, GOBIN: folder } }))
  console.log(`${name.padEnd(10)} ${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s`)
}
console.log(`Put them on the path: export PATH="${folder}:$PATH"`)
