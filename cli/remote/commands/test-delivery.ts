import { printable } from '../../../core/printable.ts'
import { print } from '../../../platform/print.ts'
import type { ProcessIo } from '../../../platform/process-io.ts'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { destinationOf } from '../../../schema/monitor/delivery-config.ts'
import { maskedDelivery } from '../../../schema/monitor/mask.ts'
import type { DeliveryRequest, DeliveryTest } from '../../../schema/run/delivery-test.ts'
import { exitCode } from '../../exit-codes.ts'
import { coloured, formOf, isForPrograms, printData } from '../../output.ts'
import { connect } from '../connect.ts'
import { findRecord, nameOf, neededReferences } from '../records.ts'
import type { Handler } from '../remote-command.ts'
import { RemoteError } from '../remote-error.ts'
import type { RemoteRecord } from '../remote-kinds.ts'
import { whatToDo } from '../what-to-do.ts'

interface TestOptions {
  readonly index?: number
}

/** Sends a test to a destination of a monitor. Prints what was sent, what came back, and what to do if it failed. */
export const testDelivery: Handler<TestOptions> = async ({ io, words, options }) => {
  const client = connect(io, options)
  const form = formOf(options)
  const [reference] = neededReferences(words)
  if (!reference) return
  const found = await findRecord(client, reference)
  const index = options.index ?? onlyIndex(found)
  const { record } = found
  const body = { monitor_id: record.id, index }
  const result = await client.json<DeliveryTest>({ method: 'POST', path: '/v1/deliveries/test', body, isOnce: true })
  if (isForPrograms(form)) await printData(io, form, result)
  else if (form === 'name') print(io, `${nameOf(found)}\n`)
  else
    print(
      io,
      `${requestText(io, result.request)}\n${answerText(io, result, record.deliveries[index]?.type ?? 'webhook')}`,
    )
  return result.status === 'success' ? exitCode('ok') : exitCode('failed')
}

/** Throws where it is not clear which destination is meant. */
function onlyIndex({ record: { name, deliveries } }: RemoteRecord): number {
  const what = printable(name)
  if (deliveries.length === 0) throw new RemoteError(`${what} has no destination, so it sends nothing`, 'failed')
  if (deliveries.length === 1) return 0
  const lines = deliveries.map((config, index) => `\n  --index ${index}   ${shown(config)}`)
  throw new RemoteError(`${what} has ${deliveries.length} destinations; choose one:${lines.join('')}`, 'usage')
}

function shown(config: DeliveryConfig): string {
  const masked = maskedDelivery(config)
  const { service, options = {} } = masked.type === 'webhook' ? masked : {}
  const given = Object.entries(options).map(([key, value]) => `${key}=${value}`)
  return printable([service ?? masked.type, destinationOf(masked), ...given].join(' '))
}

function requestText(io: ProcessIo, request: DeliveryRequest): string {
  switch (request.via) {
    case 'http': {
      const { method, url, headers, body, warnings = [] } = request
      const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
      const remarks = warnings.map(
        (warning) => `${coloured(io, { text: 'warning:', colour: 'waiting' })} ${printable(warning)}`,
      )
      return [
        ...head.map((line) => printable(line)),
        '',
        indented(prettyOf(body)),
        '',
        ...(remarks.length > 0 ? [...remarks, ''] : []),
      ].join('\n')
    }
    case 'mail':
      return (
        [`To: ${request.to}`, `Subject: ${request.subject}`].map((line) => printable(line)).join('\n') +
        `\n\n${indented(request.text)}\n`
      )
    case 'none':
      return ''
  }
}

const indented = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${printable(line)}`.trimEnd())
    .join('\n')

function prettyOf(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

function answerText(io: ProcessIo, result: DeliveryTest, type: DeliveryConfig['type']): string {
  const { status, response_status: answer, response_body: said, duration_ms: ms, signing_secret: secret } = result
  const head = coloured(io, {
    text: answer === null ? 'no answer' : String(answer),
    colour: status === 'success' ? 'good' : 'bad',
  })
  return [
    `Answer: ${head} after ${ms} ms`,
    ...(said === null || said.trim() === '' ? [] : [indented(said)]),
    ...(secret === undefined ? [] : [`Signed with ${secret}, because the monitor has no secret.`]),
    ...whatToDo(result, type),
    '',
  ].join('\n')
}
