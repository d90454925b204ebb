import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

const MAX_LINES = 300
/** Of what is not a part of the product. */
const MAX_LINES_BESIDE = 400
const isBeside = (path: string) => /^(test|bench|tools|pulumi\/test)\//.test(path)

/** Files that are longer, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'concurrency/gates/gate.ts': 'one class: every part of it changes the same counts',
  'dashboard/src/api/delivery-choices.ts': 'generated: what a person is asked for, of each service',
  'dashboard/src/api/types.ts': 'generated: a type for each answer that the dashboard shows',
  'pulumi/src/inputs/configuration.ts': 'generated: a type for each shape of the configuration',
  'pulumi/src/inputs/chart-values.ts': 'generated: a type for each section of the chart’s values',
  'test/worker/record/by-layer.test.ts': 'sequences of layers, which share one recorder and its site',
}

export const fileSize: Check = {
  name: 'file size',
  faults: ({ files }) => files.flatMap((file) => fileSizeFaults(file, EXCEPTIONS)),
}

/**
 * Reports a file of TypeScript or CSS of the product of more than 300 lines, and another one of more than 400. A file
 * contains one idea, which fits in these; otherwise it is listed with a reason.
 */
export function fileSizeFaults({ path, text }: SourceFile, exceptions: Readonly<Record<string, string>>): string[] {
  const lines = text.split('\n').length - 1
  const most = isBeside(path) ? MAX_LINES_BESIDE : MAX_LINES
  if (!/\.(?:tsx?|css)$/.test(path) || lines <= most || exceptions[path] !== undefined) return []
  return [`${path}: ${lines} lines, more than ${most}: split it, or list it with a reason in tools/check/file-size.ts`]
}
