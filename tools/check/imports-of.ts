interface ImportLine {
  specifier: string
  line: number
  /** `import type` and `export type`: they load nothing. */
  isType: boolean
}

const STATIC = /^(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]/gm
const DYNAMIC = /\b(?:import|require|import\.meta\.resolve)\s*\(\s*['"`]([^'"`]+)['"`]/g
const COMMENT = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm

/**
 * Returns everything that a TypeScript file imports: values, types, re-exports, and `import()`, `require()` and
 * `import.meta.resolve()` of a text that begins with its name.
 *
 * It uses patterns instead of a parser: TypeScript 7 has no parser that can be called, and the formatter ensures that
 * each statement starts its line.
 */
export function importsOf(text: string): ImportLine[] {
  // Comments show imports in their examples.
  const code = withoutComments(text)
  const found = [...code.matchAll(STATIC), ...code.matchAll(DYNAMIC)]
  return found
    .map((match) => ({
      specifier: match[1] ?? '',
      line: code.slice(0, match.index).split('\n').length,
      isType: /^(?:import|export)\s+type\b/.test(match[0]),
    }))
    .sort((a, b) => a.line - b.line)
}

/** Comments blanked out, not removed, so that lines keep their numbers. */
export function withoutComments(text: string): string {
  return text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '))
}
