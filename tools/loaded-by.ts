import { loadedBy } from './loaded-by/loaded-by.ts'

/** `node tools/loaded-by.ts ENTRY`: prints every file of the repository and every package that an entry file loads. */
const [, , entry] = process.argv
if (entry === undefined) {
  console.error('usage: node tools/loaded-by.ts ENTRY, as in: node tools/loaded-by.ts cli/commands/runner.ts')
  process.exitCode = 2
} else {
  const { files, packages } = loadedBy(entry)
  for (const file of files) console.log(file)
  for (const name of packages) console.log(`package ${name}`)
  console.log(`${files.length} files, ${packages.length} packages`)
}
