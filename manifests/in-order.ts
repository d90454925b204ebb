import type { ManifestText } from './manifest.ts'
import type { ManifestFault } from './places.ts'

/** Returns the faults of an input in the order of its files and lines, each once. Those of no file of it are first. */
export function inOrder(faults: readonly ManifestFault[], texts: readonly ManifestText[]): readonly ManifestFault[] {
  const order = new Map(texts.map(({ file }, index) => [file, index]))
  const each = new Map(faults.map((fault) => [`${fault.file} ${fault.line} ${fault.message}`, fault]))
  const at = ({ file }: ManifestFault) => order.get(file) ?? -1
  return [...each.values()].toSorted(
    (one, other) => at(one) - at(other) || one.line - other.line || one.column - other.column,
  )
}
