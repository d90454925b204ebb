import type { Template } from '../../schema/monitor/template.ts'

/**
 * The date of the fifteen templates. They are part of a version of the interface, and it is the date of that version.
 */
const TEMPLATES_SINCE = '2026-05-01T00:00:00.000Z'

/** Returns a template from the parts in its file. */
export const template = (parts: Omit<Template, 'created_at'>): Template => ({ ...parts, created_at: TEMPLATES_SINCE })
