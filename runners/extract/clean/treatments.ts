import type { Clean, Treatment } from '../../../schema/monitor/treatment.ts'

type OfPattern = 'keep_lines' | 'drop_lines' | 'replace'

/** A treatment whose pattern is compiled. */
export type CompiledTreatment =
  | Exclude<Treatment, { do: OfPattern }>
  | { readonly do: 'keep_lines' | 'drop_lines'; readonly pattern: RegExp }
  | { readonly do: 'replace'; readonly pattern: RegExp; readonly text: string }

/** The treatments of fields, by their names. */
export type CompiledClean = ReadonlyMap<string, readonly CompiledTreatment[]>

/** Compiles the patterns of treatments. Throws the engine's SyntaxError. */
export const compileClean = (clean: Clean = {}): CompiledClean =>
  new Map(Object.entries(clean).map(([name, treatments]) => [name, treatments.map(compileTreatment)]))

function compileTreatment(treatment: Treatment): CompiledTreatment {
  if (!('pattern' in treatment)) return treatment
  const { pattern } = treatment
  // All matches of a line are replaced. A pattern that is only tried keeps no place between two lines.
  return treatment.do === 'replace'
    ? { ...treatment, pattern: new RegExp(pattern, 'g') }
    : { ...treatment, pattern: new RegExp(pattern) }
}

/** Returns how many patterns treatments have. */
export const patternsOfClean = (clean: Clean = {}): number =>
  Object.values(clean)
    .flat()
    .filter((treatment) => 'pattern' in treatment).length
