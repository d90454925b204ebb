import { ERRORS } from '../../schema/error.ts'
import { RUN_FAULTS } from '../../schema/run/run-fault.ts'
import { table } from './markdown.ts'

/** docs/errors.md: the codes of the API's errors and of failed runs. */
export const errorsPage = (): string => `# Errors

This page is generated from \`schema/error.ts\` and \`schema/run/run-fault.ts\` by \`npm run gen\`.

## Answers of the API

Every error has the envelope \`{"error": {"code", "message", "details", "requestId"}}\`. \`details\` is always a list; for
\`VALIDATION_ERROR\` each of its items has the \`path\` of the fault and a \`message\`.

${table(
  ['Code', 'Status', 'Meaning'],
  Object.entries(ERRORS).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]),
)}

## Failed runs

A failed run has the status \`error\`, and says why in \`error_code\` for programs and in \`error_message\` for people. It never changes what the next
run is compared with, and never sends anything. The kind says who can mend it: \`blocked\` and \`broken\` are the site's, \`limit\` and \`config\` the
monitor's.

${table(
  ['Code', 'Kind', 'Meaning'],
  Object.entries(RUN_FAULTS).map(([code, { kind, meaning }]) => [`\`${code}\``, kind, meaning]),
)}
`
