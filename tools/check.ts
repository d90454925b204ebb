import { join } from 'node:path'
import { borders } from './check/borders.ts'
import type { Check, Repository } from './check/check.ts'
import { columns } from './check/columns.ts'
import { committedText } from './check/committed-text.ts'
import { dependencies } from './check/dependencies.ts'
import { fileSize } from './check/file-size.ts'
import { lockfile } from './check/lockfile.ts'
import { migrationLocks } from './check/migration-locks.ts'
import { migrationNumbers } from './check/migration-numbers.ts'
import { plainWords } from './check/plain-words.ts'
import { publicCheck } from './check/public.ts'
import { sourceFiles } from './check/source-file.ts'
import { statementTeams } from './check/statement-teams.ts'
import { testHelpers } from './check/test-helpers.ts'
import { testStatements } from './check/test-statements.ts'
import { format, generated, lint, pulumi, types } from './check/tool-checks.ts'
import { unusedExports } from './check/unused-exports.ts'

/** The gate: `npm run check`. A line a check, and what is wrong below it; exit code 1 when anything is. */
const CHECKS: readonly Check[] = [
  types,
  lint,
  format,
  pulumi,
  borders,
  unusedExports,
  testHelpers,
  testStatements,
  generated,
  publicCheck,
  committedText,
  plainWords,
  columns,
  migrationNumbers,
  migrationLocks,
  statementTeams,
  lockfile,
  dependencies,
  fileSize,
]

interface Outcome {
  name: string
  faults: string[]
  ms: number
}

async function run(check: Check, repository: Repository): Promise<Outcome> {
  const start = performance.now()
  const faults = await check.faults(repository)
  return { name: check.name, faults, ms: performance.now() - start }
}

function line({ name, faults, ms }: Outcome): string {
  const verdict = faults.length === 0 ? 'ok  ' : 'FAIL'
  return `${verdict}  ${name.padEnd(10)} ${(ms / 1000).toFixed(1).padStart(5)} s`
}

const root = join(import.meta.dirname, '..')
const repository = { root, files: await sourceFiles(root) }
const outcomes = await Promise.all(CHECKS.map((check) => run(check, repository)))
for (const outcome of outcomes) {
  console.log(line(outcome))
  for (const fault of outcome.faults) console.log(`      ${fault}`)
}
process.exitCode = outcomes.some(({ faults }) => faults.length > 0) ? 1 : 0
