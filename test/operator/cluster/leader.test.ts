import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { EventRecorder } from '../../../operator/cluster/event-recorder.ts'
import { installationOf } from '../../../operator/cluster/installation-of.ts'
import { createKubeClient } from '../../../operator/cluster/kube-client.ts'
import type { KubeObject } from '../../../operator/cluster/kube-object.ts'
import { Leader } from '../../../operator/cluster/leader.ts'
import { OPERATOR_LEASE } from '../../../operator/cluster/lease.ts'
import { seizeLease } from '../../../operator/cluster/seize-lease.ts'
import { type KubeApi, startKubeApi } from '../../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../../support/kubernetes/kube-assets.ts'
import { eventually } from '../../support/run/eventually.ts'
import { createFaultyKube } from './faulty-kube.ts'

describeWithApiServer('A process beside a real API server', () => {
  let kube: KubeApi
  let folder: string
  beforeAll(async () => {
    kube = await startKubeApi()
    folder = await mkdtemp(join(tmpdir(), 'tidemark-leader-'))
  })
  afterAll(async () => {
    await kube.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const log = { warn: () => {}, info: () => {} }
  const times = { leaseMs: 1_000, renewMs: 600, everyMs: 50 }

  async function candidate(name: string, identity: string, said: string[] = [], installation: string | null = null) {
    const faulty = await createFaultyKube(kube, folder)
    const client = createKubeClient(faulty.kubeconfig)
    const told = { ...log, info: (fields: object, text: string) => said.push(`${text} ${JSON.stringify(fields)}`) }
    const leader = new Leader({ client, namespace: 'default', name, identity, installation, log: told, times })
    onTestFinished(async () => {
      await leader.release()
      client.close()
      await faulty[Symbol.asyncDispose]()
    })
    const ending = new AbortController()
    onTestFinished(() => ending.abort())
    let isLeader = false
    return {
      faulty,
      leader,
      acquire: () =>
        leader
          .acquire(ending.signal)
          .then(() => (isLeader = true))
          .catch(() => {}),
      get isLeader() {
        return isLeader
      },
    }
  }
  const holder = async (name: string) => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}`
    return ((await kube.call('GET', path)).body as { spec: Record<string, unknown> }).spec
  }

  test('is the only leader of two, and the other follows as soon as it gives up', async () => {
    const one = await candidate('pair', 'one')
    const two = await candidate('pair', 'two')
    await Promise.race([one.acquire(), two.acquire()])
    const [first, second] = one.isLeader ? [one, two] : [two, one]
    void second.acquire()
    const before = await holder('pair')
    await eventually(async () => (await holder('pair'))['renewTime'] !== before['renewTime'], Boolean)
    expect(second.isLeader).toBe(false)
    await first.leader.release()
    await eventually(() => second.isLeader, Boolean)
    expect((await holder('pair'))['leaseTransitions']).toBe(1)
  })

  test('says once whom it waits for', async () => {
    const said: string[] = []
    const one = await candidate('patience', 'one')
    await one.acquire()
    const two = await candidate('patience', 'two', said)
    void two.acquire()
    const waited = () => two.faulty.seen.filter((what) => what.startsWith('GET')).length
    await eventually(waited, (looks) => looks > 4)
    expect(said).toEqual([expect.stringMatching(/^another operator leads, .*"holder":"one"/)])
  })

  test('waits for an uninstall that is under way, and for none that ended long ago', async () => {
    const client = createKubeClient(kube.kubeconfig)
    onTestFinished(() => client.close())
    await seizeLease(client, 'default', 600, null)
    const said: string[] = []
    const one = await candidate(OPERATOR_LEASE, 'one', said)
    void one.acquire()
    await eventually(
      () => said,
      (all) => all.length > 0,
    )
    expect(said).toEqual([expect.stringContaining('an uninstall keeps operators from leading')])
    const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${OPERATOR_LEASE}`
    const renewTime = new Date(Date.now() - 700_000).toISOString().replace('Z', '000Z')
    await kube.call('PATCH', path, { spec: { renewTime } }, 'application/merge-patch+json')
    await eventually(() => one.isLeader, Boolean)
  })

  test('takes over at once from the uninstall of an installation that was there before', async () => {
    const client = createKubeClient(kube.kubeconfig)
    onTestFinished(() => client.close())
    const lease = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${OPERATOR_LEASE}`
    await kube.call('DELETE', lease)
    const old = await candidate(OPERATOR_LEASE, 'old', [], 'uid-1')
    await old.acquire()
    await seizeLease(client, 'default', 600, null)
    await old.leader.lost
    // A process of the installation that goes waits, and says that nobody leads.
    const restarted = await candidate(OPERATOR_LEASE, 'restarted', [], 'uid-1')
    void restarted.acquire()
    await eventually(
      () => restarted.faulty.seen.length,
      (looks) => looks > 2,
    )
    expect([restarted.isLeader, restarted.leader.isHeld]).toEqual([false, false])
    const next = await candidate(OPERATOR_LEASE, 'next', [], 'uid-2')
    await next.acquire()
    expect(next.leader.isHeld).toBe(true)
    expect((await holder(OPERATOR_LEASE))['holderIdentity']).toBe('next')
    await eventually(() => restarted.leader.isHeld, Boolean)
  })

  test('takes over at once from the uninstall of an installation whose operator never led', async () => {
    const client = createKubeClient(kube.kubeconfig)
    onTestFinished(() => client.close())
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
    await kube.call('DELETE', `${path}/${OPERATOR_LEASE}`)
    await seizeLease(client, 'default', 600, 'uid-1')
    const next = await candidate(OPERATOR_LEASE, 'next', [], 'uid-2')
    await next.acquire()
    expect((await holder(OPERATOR_LEASE))['holderIdentity']).toBe('next')
  })

  test('knows when the holder of the lease is gone', async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
    const spec = () => {
      const renewTime = new Date().toISOString().replace('Z', '000Z')
      return { spec: { holderIdentity: 'other', leaseDurationSeconds: 600, renewTime } }
    }
    await kube.call('POST', path, { metadata: { name: 'gone' }, ...spec() })
    const one = await candidate('gone', 'one')
    expect(one.leader.isHeld).toBe(false)
    void one.acquire()
    // What it sees first may have been written by a process that was killed.
    await eventually(
      () => one.faulty.seen.length,
      (looks) => looks > 2,
    )
    expect(one.leader.isHeld).toBe(false)
    const renew = async () => {
      await kube.call('PATCH', `${path}/gone`, spec(), 'application/merge-patch+json')
      return one.leader.isHeld
    }
    await eventually(renew, Boolean)
    await eventually(
      () => one.leader.isHeld,
      (isHeld) => !isHeld,
    )
    expect(one.isLeader).toBe(false)
  })

  test('differs from one whose account was made again', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts'
    const uid = async () => {
      await kube.call('POST', account, { metadata: { name: 'operator' } })
      const made = await kube.call('POST', `${account}/operator/token`, { spec: {} })
      const config = JSON.parse(await readFile(kube.kubeconfig, 'utf8'))
      config.users[0].user.token = made.body.status.token
      const file = join(folder, 'account')
      await writeFile(file, JSON.stringify(config))
      const client = createKubeClient(file)
      onTestFinished(() => client.close())
      return installationOf(client)
    }
    const first = await uid()
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(await uid()).toBe(first)
    await kube.call('DELETE', `${account}/operator`)
    expect(await uid()).not.toBe(first)
    const person = createKubeClient(kube.kubeconfig)
    onTestFinished(() => person.close())
    expect(await installationOf(person)).toBeNull()
  })

  test('gives up a lease that it has just made', async () => {
    const one = await candidate('brief', 'one')
    await one.acquire()
    await one.leader.release()
    expect(await holder('brief')).not.toHaveProperty('holderIdentity', 'one')
  })

  test('stops before another takes over when it cannot reach the API server', async () => {
    const one = await candidate('cut', 'one')
    await one.acquire()
    const two = await candidate('cut', 'two')
    void two.acquire()
    one.faulty.spoil(/leases/, { kind: 'reset' }, 1_000)
    let isLost = false
    void one.leader.lost.then(() => {
      expect(two.isLeader).toBe(false)
      isLost = true
    })
    await eventually(() => two.isLeader, Boolean)
    expect(isLost).toBe(true)
  })

  test('stops before another takes over when reading and writing together are too slow', async () => {
    const one = await candidate('slow', 'one')
    await one.acquire()
    const two = await candidate('slow', 'two')
    void two.acquire()
    one.faulty.spoil(/GET .*leases/, { kind: 'late', ms: 550 }, 1_000)
    one.faulty.spoil(/PUT .*leases/, { kind: 'late', ms: 60_000 }, 1_000)
    let wasFirst = false
    void one.leader.lost.then(() => (wasFirst = !two.isLeader))
    await eventually(() => two.isLeader, Boolean)
    expect(wasFirst).toBe(true)
  })

  test('asks again in time when one request gets no answer', async () => {
    const one = await candidate('hung', 'one')
    await one.acquire()
    let isLost = false
    void one.leader.lost.then(() => (isLost = true))
    one.faulty.spoil(/PUT .*leases/, { kind: 'late', ms: 60_000 }, 1)
    const before = await holder('hung')
    await eventually(async () => isLost || (await holder('hung'))['renewTime'] !== before['renewTime'], Boolean)
    expect(isLost).toBe(false)
    expect((await holder('hung'))['holderIdentity']).toBe('one')
  })

  test('stays the leader through a fault that ends in time', async () => {
    const one = await candidate('short', 'one')
    await one.acquire()
    one.faulty.spoil(/leases/, { kind: 'status', status: 500 }, 3)
    const before = await holder('short')
    await eventually(async () => (await holder('short'))['renewTime'] !== before['renewTime'], Boolean)
    expect((await holder('short'))['holderIdentity']).toBe('one')
  })

  test('writes an event once, and counts it when it repeats', async () => {
    const client = createKubeClient(kube.kubeconfig)
    onTestFinished(() => client.close())
    const made = await kube.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'about' } })
    const about = { apiVersion: 'v1', kind: 'ConfigMap', ...(made.body as KubeObject) }
    const recorder = new EventRecorder({ client, instance: 'test', log })
    const failing = { type: 'Warning', reason: 'SecretMissing', action: 'Resolve', note: 'no Secret chat' } as const
    for (let times = 0; times < 3; times += 1) recorder.record(about, failing)
    recorder.record(about, { ...failing, note: 'x'.repeat(2_000) })
    await recorder.stop()
    const { items } = (await kube.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events')).body as {
      items: { note: string; series?: { count: number } }[]
    }
    const found = items.map(({ note, series }) => [note.length, series?.count])
    expect(found.toSorted(([one = 0], [other = 0]) => one - other)).toEqual([
      [failing.note.length, 3],
      [1_024, undefined],
    ])
    expect(await kube.kubectl('describe', 'configmap', 'about')).toContain('SecretMissing')
  })

  test('writes an event about a resource with a long name, in any script', async () => {
    const client = createKubeClient(kube.kubeconfig)
    onTestFinished(() => client.close())
    const name = `${'x'.repeat(198)}--${'y'.repeat(50)}`
    const made = await kube.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } })
    const about = { apiVersion: 'v1', kind: 'ConfigMap', ...(made.body as KubeObject) }
    const recorder = new EventRecorder({ client, instance: 'test', log })
    recorder.record(about, { type: 'Warning', reason: 'Invalid', action: 'Apply', note: '\u4fa1\u683c'.repeat(512) })
    await recorder.stop()
    const { items } = (await kube.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events')).body as {
      items: { note: string; regarding: { name: string } }[]
    }
    const [found] = items.filter(({ regarding }) => regarding.name === name)
    expect(found?.note).toBe('\u4fa1\u683c'.repeat(512).slice(0, 341))
  })

  test('writes many events at its pace, and drops those that would wait for minutes', async () => {
    const client = createKubeClient(kube.kubeconfig)
    onTestFinished(() => client.close())
    const made = await kube.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'many' } })
    const about = { apiVersion: 'v1', kind: 'ConfigMap', ...(made.body as KubeObject) }
    const recorder = new EventRecorder({ client, instance: 'test', log })
    const record = (n: number) =>
      recorder.record(about, { type: 'Normal', reason: 'Applied', action: 'Apply', note: `n${n}` })
    for (let n = 0; n < 60; n += 1) record(n)
    const written = async () => {
      const { items } = (await kube.call('GET', '/apis/events.k8s.io/v1/namespaces/default/events')).body as {
        items: { regarding: { name: string } }[]
      }
      return items.filter(({ regarding }) => regarding.name === 'many').length
    }
    await eventually(written, (count) => count === 60)
    expect(recorder.dropped).toBe(0)
    for (let n = 60; n < 2_260; n += 1) record(n)
    expect(recorder.dropped).toBe(200)
    // What waits goes with the process.
    await recorder.stop()
    expect(recorder.dropped).toBeGreaterThan(2_000)
  })
})
