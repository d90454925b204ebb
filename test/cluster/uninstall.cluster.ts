import { afterAll, beforeAll, expect, test } from 'vitest'
import { apply, describeInCluster, helm, kubectl, read } from './kubectl.ts'
import { condition, monitorOf, NAMESPACE, openRelease, removeRelease } from './release.ts'
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

  test('leaves no namespace that cannot be deleted', async () => {
    await apply(monitorOf('left', `${site.url}/static/left`))
    const applied = await condition('monitor', 'left', 'Healthy', 'True')
    expect(applied.metadata.finalizers).toHaveLength(1)
    await helm('uninstall', 'tidemark', '--namespace', NAMESPACE)
    const monitor = await read('-n', NAMESPACE, 'monitor', 'left')
    expect(monitor.metadata.finalizers ?? []).toEqual([])
    for (const name of ['tidemark-keys', 'tidemark-owner'])
      expect(await read('-n', NAMESPACE, 'secret', name), name).not.toBeNull()
    await kubectl('delete', 'namespace', NAMESPACE, '--timeout=90s')
    expect(await read('namespace', NAMESPACE)).toBeNull()
  })
})
