import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../core/logger.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { startManifestServer } from '../cli/remote/manifest-server.ts'
import { createOperatorSetup, KEY, startCluster, TIMES } from '../operator/operator-setup.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { openSite } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { everyRequest, everyServiceFile, expectDigest, expectEach } from '../support/services/every-service.ts'
import { startWorker } from '../support/worker/check-worker.ts'
import { startDelivering } from '../support/worker/delivering.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 180_000 })

/** Returns what moves the clock of a database. */
const clockOf = (url: string, sql: (statement: string) => Promise<unknown>) => (seconds: number) =>
  sql(`alter database "${new URL(url).pathname.slice(1)}" set tidemark.clock_offset = '${seconds} seconds'`)

test('one file with every service is applied by tidemark apply, and each gets a change', async () => {
  await using remote = await startManifestServer()
  await using receiver = await openReceiver(reply(200, '{"ok": true}'))
  remote.site.price('100')
  await remote.write('every.yaml', everyServiceFile(remote.site.url, receiver.url, 'shop'))
  expect(await remote.sh('./tidemark apply -f every.yaml')).toMatchObject({ code: 0, stderr: '' })
  expect(await remote.sh('./tidemark run shop/kettle --wait')).toMatchObject({ code: 0 })
  remote.site.price('250')
  expect(await remote.sh('./tidemark run shop/kettle --wait')).toMatchObject({ code: 0 })
  expectEach(await everyRequest(receiver, '250'))
  await expectDigest(receiver, clockOf(remote.databaseUrl, remote.sql))
  expect(await remote.sh('./tidemark apply -f every.yaml')).toMatchObject({ stdout: 'Nothing differs: 1 unchanged.\n' })
})

describeWithApiServer('The same file', () => {
  test('is applied by kubectl apply, and each gets a change', async () => {
    const kube = await startCluster()
    onTestFinished(() => kube.stop())
    // Its status may change at once: how often it may is held by another test.
    const setup = await createOperatorSetup(kube, { times: { ...TIMES, statusMs: 1 } })
    const secrets = createSecretBox(KEY)
    await using receiver = await openReceiver(reply(200, '{"ok": true}'))
    await using site = await openSite()
    await using worker = await startWorker({ url: setup.url, secrets })
    worker.loop.start()
    onTestFinished(startDelivering({ store: setup.store, secrets, log: createLogger('silent') }))
    site.price('100')
    const file = join(setup.folder, 'every.yaml')
    await writeFile(file, everyServiceFile(site.url, receiver.url, setup.namespace))
    await kube.kubectl('apply', '-f', file)
    await setup.until('kettle', 'Healthy', 'Succeeding')
    site.price('250')
    await kube.kubectl('annotate', 'monitor', 'kettle', '-n', setup.namespace, 'tidemark.dev/run-requested-at=1')
    const found = everyRequest(receiver, '250')
    await eventually(
      async () => {
        worker.loop.wake()
        return receiver.requests.length
      },
      (count) => count > 0,
    )
    expectEach(await found)
    await expectDigest(receiver, clockOf(setup.url, setup.sql))
  })
})
