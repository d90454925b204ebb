import { join, relative } from 'node:path'
import { sourceFiles } from './check/source-file.ts'
import { testsOf } from './tests-of/tests-of.ts'

/**
 * `node tools/tests-of.ts FILE [DISTANCE]` prints the tests that reach a file, the nearest first, each with the number
 * of imports between them. DISTANCE is the largest number to print.
 */
const root = join(import.meta.dirname, '..')
const [, , file, most = 'Infinity'] = process.argv
const USAGE = 'usage: node tools/tests-of.ts FILE [DISTANCE], as in: node tools/tests-of.ts store/queue/claim.ts 2'
const files = await sourceFiles(root)
const target = file === undefined ? '' : relative(root, join(process.cwd(), file))
const fault =
  file === undefined
    ? 'No file is named.'
    : Number.isNaN(Number(most))
      ? `DISTANCE is a number, not ${most}.`
      : files.some(({ path }) => path === target)
        ? null
        : `There is no file ${target}.`
if (file === '--help') {
  console.log('Prints the tests that reach FILE, the nearest first, each with the number of imports between them.')
  console.log(USAGE)
} else if (fault !== null) {
  console.error(fault)
  console.error(USAGE)
  process.exitCode = 2
} else {
  const found = testsOf(target, files)
  const shown = found.filter(({ distance }) => distance <= Number(most))
  for (const { path, distance } of shown) console.log(`${String(distance).padStart(3)}  ${path}`)
  console.log(`${shown.length} of ${found.length} tests that reach ${target}`)
}
