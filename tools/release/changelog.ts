const HEADING = /^## \[?([^\]\s]+)\]?.*$/gm

/** Returns the section of a version in a changelog, without its heading. Null: there is none. */
export function sectionOf(changelog: string, version: string): string | null {
  const headings = [...changelog.matchAll(HEADING)]
  const index = headings.findIndex(([, name]) => name === version)
  const heading = headings[index]
  if (heading === undefined) return null
  return changelog.slice(heading.index + heading[0].length, headings[index + 1]?.index).trim()
}
