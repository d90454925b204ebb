import type { Template } from '../../schema/monitor/template.ts'

/** When the fifteen came into being: they are part of a version of the interface, and its date is theirs. */
const TEMPLATES_SINCE = '2026-05-01T00:00:00.000Z'

/** A template as its file writes it. */
export const template = (parts: Omit<Template, 'created_at'>): Template => ({ ...parts, created_at: TEMPLATES_SINCE })
