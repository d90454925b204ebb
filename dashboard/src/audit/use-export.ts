import { useMutation } from '@tanstack/react-query'
import { askText, serverNow } from '../api/client.ts'
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
      save(new Blob([text], { type }), `audit-${new Date(serverNow()).toISOString().slice(0, 10)}.${format}`)
    },
  })

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
