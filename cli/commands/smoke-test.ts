import { ExplainedError } from '../../core/explained-error.ts'
import { print } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { formOf, type OutputOptions, printResult } from '../output.ts'

/** The API did not do what the test asked for. */
class SmokeTestError extends ExplainedError {
  override readonly name = 'SmokeTestError'
}

const ANSWER_MS = 20_000

/** The monitor of the test. It is deleted at once, with a first check that has begun by then. */
const MONITOR = {
  name: 'Smoke test',
  url: 'https://example.com/',
  schedule_interval_seconds: 86_400,
  extract_config: { method: 'css', fields: { title: 'h1' } },
  diff_predicate: { type: 'any_field_changes' },
}

/** Makes a monitor through the API at `url`, reads it, and deletes it. Throws when one of them does not work. */
export async function smokeTest(
  io: ProcessIo,
  { url, key }: Readonly<Record<'url' | 'key', string | undefined>>,
  options: OutputOptions,
): Promise<void> {
  if (url === undefined || key === undefined)
    throw new SmokeTestError('set TIDEMARK_URL to the address of the API, and TIDEMARK_API_KEY to a key that may write')
  const isForPeople = ['table', 'wide'].includes(formOf(options))
  const steps: object[] = []
  const call = async (method: string, path: string, expected: number, body?: object): Promise<{ id?: string }> => {
    const step = `${method} ${path}`
    let answer: Response
    try {
      // A server of the person who runs this, and no target of a check.
      // oxlint-disable-next-line no-restricted-globals
      answer = await fetch(new URL(path, url), {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
        signal: AbortSignal.timeout(ANSWER_MS),
        ...(body && { body: JSON.stringify(body) }),
      })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new SmokeTestError(`${step}: ${url} does not answer (${reason})`)
    }
    const text = await answer.text()
    if (answer.status !== expected)
      throw new SmokeTestError(`${step} was answered with ${answer.status}: ${text.slice(0, 500)}`)
    steps.push({ method, path, status: answer.status })
    if (isForPeople) print(io, `${step}: ${answer.status}\n`)
    return text === '' ? {} : (JSON.parse(text) as { id?: string })
  }
  await call('GET', '/readyz', 200)
  const { id } = await call('POST', '/v1/monitors', 201, MONITOR)
  try {
    await call('GET', `/v1/monitors/${id}`, 200)
  } finally {
    await call('DELETE', `/v1/monitors/${id}`, 204)
  }
  await printResult(io, options, { data: { works: true, steps }, names: [], text: 'Tidemark works.\n' })
}
