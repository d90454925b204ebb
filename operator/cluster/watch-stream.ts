import type { IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import { answerOf, type KubeAnswer } from './kube-client.ts'

export async function refusalOf(response: IncomingMessage): Promise<KubeAnswer<unknown>> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response) if (text.length < 65_536) text += String(chunk)
  return answerOf(response, text)
}

/** Yields the complete lines of a stream. A half line at its end is dropped: the next watch repeats its event. */
export async function* linesOf(response: IncomingMessage, onBytes: () => void): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let parts: string[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) {
    onBytes()
    const [first = '', ...rest] = decoder.write(chunk).split('\n')
    parts.push(first)
    for (const line of rest) {
      const whole = parts.join('')
      if (whole.trim() !== '') yield whole
      parts = [line]
    }
  }
}
