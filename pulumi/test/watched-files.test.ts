import { onTestFinished, test } from 'vitest'
import { runNow, startWatching } from '../../test/support/api/watching.ts'
import { expectMessages, showFiles, WATCHED, watchedSpec } from '../../test/support/documents/watched-files.ts'
import { openSite } from '../../test/support/network/site.ts'
import { openReceiver, reply } from '../../test/support/worker/receiver.ts'
import type { MonitorArgs } from '../src/rest.ts'
import { startDynamicProvider } from './dynamic-provider.ts'
import { rest, runProgram } from './program.ts'

test('A program watches a price list, terms, a calendar and a shop, and a message has the row', async () => {
  const watching = await startWatching({ deliver: true })
  onTestFinished(() => watching.close())
  await using receiver = await openReceiver(reply(200, 'ok'))
  await using site = await openSite()
  showFiles(site, 'before')
  const provider = await startDynamicProvider({
    'tidemark:baseUrl': watching.served.baseUrl,
    'tidemark:apiKey': watching.served.owner.api_key,
  })
  onTestFinished(() => provider.stop())
  const ids: string[] = []
  for (const name of WATCHED) {
    const spec = watchedSpec(name, site.origin, receiver.url) as unknown as MonitorArgs
    const { one } = await runProgram(() => new rest.Monitor(name, spec))
    const { __provider: text, ...inputs } = one('pulumi-nodejs:dynamic/tidemark:Monitor').inputs
    const { id } = await provider.of(text as string).create(inputs as Record<string, unknown>)
    ids.push(id)
    await runNow(watching.served.me, id)
  }
  showFiles(site, 'after')
  for (const id of ids) await runNow(watching.served.me, id)
  await expectMessages(receiver)
})
