import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLogger } from '../../core/logger.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { expectMessages, showFiles, WATCHED, watchedFile } from '../support/documents/watched-files.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { openSite } from '../support/network/site.ts'
import { startWorker } from '../support/worker/check-worker.ts'
import { startDelivering } from '../support/worker/delivering.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'
import { createOperatorSetup, KEY, startCluster, TIMES } from './operator-setup.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 180_000 })

describeWithApiServer('A price list, terms, a calendar and a shop', () => {
  test('are watched by kubectl apply, and a message has the row of the changed cell', async () => {
    const kube = await startCluster()
    onTestFinished(() => kube.stop())
    // Its status may change at once: how often it may is held by another test.
    const setup = await createOperatorSetup(kube, { times: { ...TIMES, statusMs: 1 } })
    const secrets = createSecretBox(KEY)
    await using receiver = await openReceiver(reply(200, 'ok'))
    await using site = await openSite()
    await using worker = await startWorker({ url: setup.url, secrets })
    worker.loop.start()
    onTestFinished(startDelivering({ store: setup.store, secrets, log: createLogger('silent') }))
    showFiles(site, 'before')
    const file = join(setup.folder, 'files.yaml')
    await writeFile(file, watchedFile(site.origin, receiver.url, setup.namespace))
    await kube.kubectl('apply', '-f', file)
    for (const name of WATCHED) await setup.until(name, 'Healthy', 'Succeeding')
    expect(receiver.requests).toEqual([])
    showFiles(site, 'after')
    for (const name of WATCHED)
      await kube.kubectl('annotate', 'monitor', name, '-n', setup.namespace, 'tidemark.dev/run-requested-at=1')
    await expectMessages(receiver, () => worker.loop.wake())
  })
})
