#!/usr/bin/env node
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { exitCodeOf, explain } from './boot/process/explain.ts'

// Node's thread pool resolves names and decompresses bodies. With the default of four threads, four name servers that
// do not answer would block it.
process.env['UV_THREADPOOL_SIZE'] ??= '24'

const program = new Command('tidemark')
  .description('Watches web pages, JSON APIs and feeds on a schedule, and delivers the changes.')
  .version(manifest.version)
  .addHelpText(
    'after',
    `
Settings are environment variables; docs/settings.md lists them.

Examples:
  $ npm start                                       all of it, on http://127.0.0.1:8080, with an embedded Postgres
  $ PORT=9000 npx tidemark serve                    the same on another port
  $ DATABASE_URL=postgres://… npx tidemark migrate  then: npx tidemark api, npx tidemark worker, as many as you like
  $ npx tidemark admin create-owner --email me@example.com --json
  $ npx tidemark check https://example.com/ --css title=h1    what would a run extract?
`,
  )
  .showHelpAfterError('(tidemark --help shows the commands)')

/**
 * The commands, in the order of the help. Only the called command is loaded: a check of a page does not wait for the
 * parts of a server.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  api: async () => (await import('./commands/api.ts')).apiCommand(),
  worker: async () => (await import('./commands/worker.ts')).workerCommand(),
  runner: async () => (await import('./commands/runner.ts')).runnerCommand(),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  admin: async () => (await import('./commands/admin.ts')).adminCommand(),
  check: async () => (await import('./commands/check.ts')).checkCommand(),
}

try {
  const [, , name = ''] = process.argv
  const called = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  for (const load of called ? [called] : Object.values(COMMANDS)) program.addCommand(await load())
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = exitCodeOf(error)
}
