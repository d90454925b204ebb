import type { Check } from './check.ts'
import type { SourceFile } from './source-file.ts'

const MAX_LINES = 400

/** Files that are longer, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'pulumi/src/inputs/chart-values.ts': 'generated: a type for each section of the chart’s values',
  'test/worker/record/by-layer.test.ts': 'sequences of layers, which share one recorder and its site',
}

export const fileSize: Check = {
  name: 'file size',
  faults: ({ files }) => files.flatMap((file) => fileSizeFaults(file, EXCEPTIONS)),
}

/**
 * Reports a TypeScript file of more than 400 lines. A file contains one idea, which fits in 400 lines; otherwise it is
 * listed with a reason.
 */
export function fileSizeFaults({ path, text }: SourceFile, exceptions: Readonly<Record<string, string>>): string[] {
  const lines = text.split('\n').length - 1
  if (!path.endsWith('.ts') || lines <= MAX_LINES || exceptions[path] !== undefined) return []
  return [
    `${path}: ${lines} lines, more than ${MAX_LINES}: split it, or list it with a reason in tools/check/file-size.ts`,
  ]
}
