import { onTestFinished, test } from 'vitest'
import { runNow, startWatching } from '../../test/support/api/watching.ts'
import { everyRequest, everyServiceSpec, expectDigest, expectEach } from '../../test/support/services/every-service.ts'
import { openReceiver, reply } from '../../test/support/worker/receiver.ts'
import type { MonitorArgs } from '../src/rest.ts'
import { startDynamicProvider } from './dynamic-provider.ts'
import { rest, runProgram } from './program.ts'

test('A program declares every service with words of its own and a digest, and each gets a change', async () => {
  const watching = await startWatching({ deliver: true })
  onTestFinished(() => watching.close())
  await using receiver = await openReceiver(reply(200, '{"ok": true}'))
  const page = watching.page('<b class="price">100</b>')
  const spec = everyServiceSpec(page.url, receiver.url) as unknown as MonitorArgs
  const { one } = await runProgram(() => new rest.Monitor('kettle', spec))
  const { __provider: text, ...inputs } = one('pulumi-nodejs:dynamic/tidemark:Monitor').inputs
  const provider = await startDynamicProvider({
    'tidemark:baseUrl': watching.served.baseUrl,
    'tidemark:apiKey': watching.served.owner.api_key,
  })
  onTestFinished(() => provider.stop())
  const { id } = await provider.of(text as string).create(inputs as Record<string, unknown>)
  await runNow(watching.served.me, id)
  page.set('<b class="price">250</b>')
  await runNow(watching.served.me, id)
  expectEach(await everyRequest(receiver, '250'))
  await expectDigest(receiver, watching.setClock)
})
