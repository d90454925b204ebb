import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apply, describeInCluster, helm, inTime, kubectl, read } from './kubectl.ts'
import { allReady, condition, monitorOf, NAMESPACE, openRelease, removeRelease, ROOT } from './release.ts'
import { openSite, removeSite, type Site } from './site.ts'

describeInCluster('A release that is uninstalled', () => {
  let site: Site

  beforeAll(async () => {
    site = await openSite()
    await openRelease(site)
  })
  afterAll(async () => {
    await removeRelease()
    await removeSite()
  })

  test('can be installed again at once, and leaves no namespace that cannot be deleted', async () => {
    await apply(monitorOf('left', `${site.url}/static/left`))
    const applied = await condition('monitor', 'left', 'Healthy', 'True')
    expect(applied.metadata.finalizers).toHaveLength(1)
    await helm('uninstall', 'tidemark', '--namespace', NAMESPACE)
    const monitor = await read('-n', NAMESPACE, 'monitor', 'left')
    expect(monitor.metadata.finalizers ?? []).toEqual([])
    for (const name of ['tidemark-keys', 'tidemark-owner'])
      expect(await read('-n', NAMESPACE, 'secret', name), name).not.toBeNull()
    // Longer than any patience of a test: a new installation does not wait for its end.
    const spec = JSON.stringify({ spec: { leaseDurationSeconds: 3_600 } })
    await kubectl('-n', NAMESPACE, 'patch', 'lease', 'tidemark-operator', '--type=merge', '-p', spec)
    const chart = join(ROOT, 'charts/tidemark')
    await helm('install', 'tidemark', chart, '--namespace', NAMESPACE, '-f', join(chart, 'examples/try-out.yaml'))
    await allReady()
    const taken = await inTime(
      () => read('-n', NAMESPACE, 'monitor', 'left'),
      (seen) => seen?.metadata.finalizers?.length === 1,
    )
    expect(taken.status.id).toBe(applied.status.id)
    await helm('uninstall', 'tidemark', '--namespace', NAMESPACE)
    await kubectl('delete', 'namespace', NAMESPACE, '--timeout=90s')
    expect(await read('namespace', NAMESPACE)).toBeNull()
  })
})
