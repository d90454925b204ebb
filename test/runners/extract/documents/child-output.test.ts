import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { residentMb } from '../../../../runners/extract/documents/child/resident-memory.ts'
import { traceOfOutput } from '../../../../runners/extract/documents/child/trace-of-output.ts'

test('the log has the class of an error and its lines, and nothing that quotes the file', () => {
  const output = [
    'file:///app/runners/extract/documents/read-document.ts:30',
    "    throw new TypeError('secret')",
    '    ^',
    '',
    'TypeError: Cannot read secret of',
    '    at secret',
    '    at readPdf (file:///app/runners/extract/documents/pdf/read-pdf.ts:30:11)',
    '    at async node:internal/main/run:1:2',
    '',
    'Node.js v24',
  ].join('\n')
  expect(traceOfOutput(output)).toBe(
    'TypeError\n    at readPdf (file:///app/runners/extract/documents/pdf/read-pdf.ts:30:11)\n' +
      '    at async node:internal/main/run:1:2',
  )
  expect(traceOfOutput('secret')).toBe('the process has ended')
})

test('resident memory is what the system states, whatever the size of its pages', () => {
  expect(residentMb('Name:\tnode\nVmHWM:\t  99999 kB\nVmRSS:\t   65536 kB\n')).toBe(64)
  expect(residentMb('')).toBe(0)
  expect(residentMb(readFileSync('/proc/self/status', 'latin1'))).toBeGreaterThan(10)
})
