import { ERRORS } from '../../schema/error.ts'
import { adviceOf, RUN_FAULTS, type RunFaultCode } from '../../schema/run/run-fault.ts'
import { paragraph, table } from './markdown.ts'

const ABOUT = paragraph(
  'This page says what an error code means, and whose turn it is. Search for the code that you see. `npm run gen` ' +
    'makes it from `schema/error.ts` and `schema/run/run-fault.ts`.',
)

const OF_THE_API = paragraph(
  'You get one of these as `error.code` of an answer. Every error has the envelope `{"error": {"code", ' +
    '"message", "details", "requestId"}}`. `details` is always a list. For `VALIDATION_ERROR`, each item has the ' +
    '`path` of the fault and a `message`. For `TIER_LIMIT_EXCEEDED`, the one item has the `path` of the field of ' +
    'the request that asks for too much, the `limit` and the `tier`. Name the `requestId` when you ask the ' +
    'operator for help: the log has it.',
)

const OF_RUNS = paragraph(
  'A failed run has the status `error`. `error_code` gives the reason for programs, `error_message` for ' +
    'people. A failed run never changes the baseline, and never sends a delivery. The kind says where the cause ' +
    'is: `blocked` and `broken` are causes at the site, `limit` and `config` are causes in the monitor.',
)

/** Returns docs/errors.md: the codes of the API's errors and of failed runs. */
export const errorsPage = (): string => `# Errors

${ABOUT}

## Errors of the API

${OF_THE_API}

${table(
  ['Code', 'Status', 'Meaning'],
  Object.entries(ERRORS).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]),
)}

## Failed runs

${OF_RUNS}

${table(
  ['Code', 'Kind', 'Meaning', 'What you can do'],
  (Object.keys(RUN_FAULTS) as RunFaultCode[]).map((code) => {
    const { kind, meaning } = RUN_FAULTS[code]
    return [`\`${code}\``, kind, meaning, adviceOf(code)]
  }),
)}
`
