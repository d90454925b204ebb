import { expect, onTestFinished, test } from 'vitest'
import { createLogger } from '../../core/logger.ts'
import type { CustomResource } from '../../operator/reconcile/custom-resource.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { dropDeliveries } from '../support/database/change-deliveries.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { openSite } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { startWorker } from '../support/worker/check-worker.ts'
import { startDelivering } from '../support/worker/delivering.ts'
import { openReceiver, reply } from '../support/worker/receiver.ts'
import { KEY, operatorForEachTest, type OperatorSetup, TIMES } from './operator-setup.ts'

describeWithApiServer('A resource with destinations', () => {
  let setup: OperatorSetup
  // How often a status may change is held by another test.
  operatorForEachTest((opened) => ({ setup } = opened), { times: { ...TIMES, statusMs: 1 } })

  const secrets = createSecretBox(KEY)
  const delivering = (status: string) =>
    eventually(
      () => setup.read('kettle'),
      (resource) => setup.condition(resource, 'Delivering')?.status === status,
    )
  const about = async () =>
    (await setup.events()).filter(({ action }) => action === 'Deliver').map(({ type, reason }) => `${type} ${reason}`)

  test('says which one gave up, with its answer, until it takes a message', async () => {
    let answer = 404
    await using receiver = await openReceiver((...args) => reply(answer)(...args))
    await using site = await openSite()
    await using worker = await startWorker({ url: setup.url, secrets })
    worker.loop.start()
    onTestFinished(startDelivering({ store: setup.store, secrets, log: createLogger('silent') }))
    const url = receiver.url
    const spec = {
      url: site.url,
      deliveries: [
        { type: 'webhook', url: `${url}/fine` },
        { type: 'webhook', url },
      ],
    }
    let asked = 0
    const changed = async (price: string) => {
      site.price(price)
      await setup.apply('kettle', spec, { 'tidemark.dev/run-requested-at': `${(asked += 1)}` })
      worker.loop.wake()
    }
    await setup.apply('kettle', spec)
    const fine = await setup.until('kettle', 'Healthy', 'Succeeding')
    expect(setup.condition(fine, 'Delivering')).toMatchObject({ status: 'True', reason: 'Delivering' })
    expect(fine.status).not.toHaveProperty('failedDestinations')

    await changed('$2')
    const failed = await eventually(
      () => setup.read('kettle'),
      (resource) => resource.status?.failedDestinations?.length === 2,
    )
    const { since } = failed.status?.failedDestinations?.[0] ?? {}
    const address = `127.0.0.1:${receiver.port}`
    expect(failed.status?.failedDestinations).toMatchObject([
      { path: 'spec.deliveries[0]', type: 'webhook', address, responseStatus: 404 },
      { path: 'spec.deliveries[1]', type: 'webhook', address, responseStatus: 404 },
    ])
    expect(setup.condition(failed, 'Delivering')).toMatchObject({
      status: 'False',
      reason: 'GivenUp',
      message:
        `The destination spec.deliveries[0] (webhook, ${address}) was given up at ${since}: it answered 404. ` +
        'Besides it: 1, in status.failedDestinations.',
    })
    expect(setup.condition(failed, 'Healthy')).toMatchObject({ status: 'True' })
    expect(await eventually(about, (events) => events.length === 2)).toEqual([
      'Warning DeliveryGivenUp',
      'Warning DeliveryGivenUp',
    ])

    answer = 200
    await changed('$3')
    const well = await delivering('True')
    expect(well.status).not.toHaveProperty('failedDestinations')
    expect(await eventually(about, (events) => events.length === 4)).toEqual(
      expect.arrayContaining(['Normal DeliveryResumed']),
    )
  })

  test('shows no part of an address from a Secret, and its answer until an edit replaces it', async () => {
    await using receiver = await openReceiver(reply(410))
    await using site = await openSite()
    await using worker = await startWorker({ url: setup.url, secrets })
    worker.loop.start()
    onTestFinished(startDelivering({ store: setup.store, secrets, log: createLogger('silent') }))
    await setup.kube.call('POST', `/api/v1/namespaces/${setup.namespace}/secrets`, {
      metadata: { name: 'chat', labels: { 'tidemark.dev/monitors': 'true' } },
      stringData: { hook: receiver.url },
    })
    const urlFrom = { secretKeyRef: { name: 'chat', key: 'hook' } }
    const spec = { url: site.url, deliveries: [{ type: 'webhook', urlFrom }] }
    await setup.apply('kettle', spec)
    await setup.until('kettle', 'Healthy', 'Succeeding')
    site.price('$2')
    await setup.apply('kettle', spec, { 'tidemark.dev/run-requested-at': 'now' })
    worker.loop.wake()
    const failed = await delivering('False')
    expect(setup.condition(failed, 'Delivering')?.message).toMatch(
      /^The destination spec\.deliveries\[0\] \(webhook\) was given up at [-0-9T:]+Z: it answered 410\.$/,
    )
    expect(JSON.stringify(failed.status)).not.toContain(`${receiver.port}`)

    const written = failed.metadata.resourceVersion
    // After the retention window: its answer is shown for as long as it takes nothing.
    await dropDeliveries(setup)
    await setup.restart()
    await setup.apply('other', { suspend: true })
    await setup.until('other', 'Ready', 'Suspended')
    expect((await setup.read('kettle')).metadata.resourceVersion).toBe(written)
    await setup.apply('kettle', { ...spec, deliveries: [{ type: 'webhook', url: `${receiver.url}/new` }] })
    await delivering('True')
  })

  test('has no condition about deliveries without destinations', async () => {
    await setup.apply('kettle')
    const { status }: CustomResource = await setup.until('kettle', 'Ready', 'Scheduled')
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Healthy'])
  })
})

describeWithApiServer('A resource whose destination fails and recovers at once', () => {
  let setup: OperatorSetup
  // What fails to deliver is looked at with every tenth look for results: once in four seconds.
  operatorForEachTest((opened) => ({ setup } = opened), { times: { ...TIMES, statusMs: 1, resultsMs: 400 } })

  test('says that it delivers again, where no look has seen it fail', async () => {
    const secrets = createSecretBox(KEY)
    const isReported = Promise.withResolvers<void>()
    let answered = 0
    await using receiver = await openReceiver((...args) => {
      answered += 1
      if (answered === 1) reply(404)(...args)
      else void isReported.promise.then(() => reply(200)(...args))
    })
    await using site = await openSite()
    await using worker = await startWorker({ url: setup.url, secrets })
    worker.loop.start()
    onTestFinished(startDelivering({ store: setup.store, secrets, log: createLogger('silent') }))
    const spec = { url: site.url, deliveries: [{ type: 'webhook', url: receiver.url }] }
    const changed = async (price: string) => {
      site.price(price)
      await setup.apply('kettle', spec, { 'tidemark.dev/run-requested-at': price })
      worker.loop.wake()
    }
    const delivering = (status: string) =>
      eventually(
        () => setup.read('kettle'),
        (resource) => setup.condition(resource, 'Delivering')?.status === status,
      )
    await setup.apply('kettle', spec)
    await setup.until('kettle', 'Healthy', 'Succeeding')
    await changed('$2')
    await delivering('False')
    await changed('$3')
    await eventually(
      () => setup.read('kettle'),
      (resource) => resource.status?.values?.['price'] === '$3',
    )
    isReported.resolve()
    await delivering('True')
  })
})
