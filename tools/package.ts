import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage } from './package/build-package.ts'

// `npm run package [DIR]` builds the package of npm into DIR, by default ./package, and packs it there.

const target = resolve(process.argv[2] ?? 'package')
await buildPackage(join(import.meta.dirname, '..'), target)
const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', target], { cwd: target })
const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
  { filename: string; size: number; unpackedSize: number },
]
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
console.log(`${join(target, packed.filename)}: ${mb(packed.size)}, unpacked ${mb(packed.unpackedSize)}`)
