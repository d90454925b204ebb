#!/usr/bin/env node
import { Command } from 'commander'
import { adminCommand } from './commands/admin.ts'
import { apiCommand } from './commands/api.ts'
import { checkCommand } from './commands/check.ts'
import { migrateCommand } from './commands/migrate.ts'
import { serveCommand } from './commands/serve.ts'
import { workerCommand } from './commands/worker.ts'
import { explain } from './explain.ts'

const program = new Command('tidemark')
  .description('Watches web pages, JSON APIs and feeds on a schedule, tells what changed, and delivers it.')
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

for (const command of [serveCommand, apiCommand, workerCommand, migrateCommand, adminCommand, checkCommand])
  program.addCommand(command())

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}
