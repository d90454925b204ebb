import { useMutation } from '@tanstack/react-query'
import { askText } from '../api/client.ts'
import { saveFile } from '../parts/save-file.ts'
import { type AuditFilters, queryOf } from './filters.ts'

export const FORMATS = {
  csv: { word: 'CSV', path: '/v1/team/audit/export', type: 'text/csv' },
  json: { word: 'JSON', path: '/v1/team/audit/export/json', type: 'application/json' },
} as const
export type Format = keyof typeof FORMATS

/** Reads what the filters leave of the log as a file, and saves it. It is asked for in the name of the team shown. */
export const useExport = (filters: AuditFilters) =>
  useMutation({
    mutationFn: async (format: Format) => {
      const { path, type } = FORMATS[format]
      const text = await askText(`${path}?${queryOf(filters)}`, type, new AbortController().signal)
      saveFile(text, { name: 'audit', type, format })
    },
  })
