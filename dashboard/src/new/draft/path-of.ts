import type { Issue } from '../../api/client.ts'

/** Returns the path of a key within another one, as the API writes it: `extract_config.fields.price`. */
export const pathOf = (outer: string, key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? `${outer}.${key}` : `${outer}[${JSON.stringify(key)}]`

/** Returns what is wrong with a part, and with what is within it. */
export const issuesAt = (issues: readonly Issue[], path: string): readonly Issue[] =>
  issues.filter(
    (issue) => issue.path === path || issue.path.startsWith(`${path}.`) || issue.path.startsWith(`${path}[`),
  )
