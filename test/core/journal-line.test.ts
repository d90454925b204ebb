import { expect, test } from 'vitest'
import { journalError, journalLine } from '../../core/journal-line.ts'
import { createLogger } from '../../core/logger.ts'

test('each level has the priority of syslog, and the line stays as it is', () => {
  const lines: string[] = []
  const log = createLogger('trace', { write: (line) => void lines.push(line) })
  for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) log[level]({ level: 'error' }, 'a <2> line')
  const marked = lines.map(journalLine)
  expect(marked.map((line) => line.slice(0, 3))).toEqual(['<7>', '<7>', '<6>', '<4>', '<3>'])
  expect(marked.map((line) => line.slice(3))).toEqual(lines)
})

test('a line of another form is info, and each line of an error is one', () => {
  expect(journalLine('Server listening\n')).toBe('<6>Server listening\n')
  expect(journalError('tidemark: PORT is taken\n  PORT is 8080\n')).toBe(
    '<3>tidemark: PORT is taken\n<3>  PORT is 8080\n',
  )
})
