import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { CHART, describeWithHelm, program, valuesFile } from './helm.ts'

describeWithHelm('The notes of a release', () => {
  let kube: KubeApi
  beforeAll(async () => {
    kube = await startKubeApi()
  })
  afterAll(() => kube?.stop())

  /** Helm renders notes for an installation alone, and asks the API server for what is there already. */
  async function notes(values: string, ...args: string[]): Promise<string> {
    const of = ['install', 'tidemark', CHART, '-n', 'tidemark', '--dry-run=client', '--kubeconfig', kube.kubeconfig]
    const { ok, out } = await program('helm', ...of, '-f', valuesFile(values), ...args)
    expect(ok, out).toBe(true)
    return out.slice(out.indexOf('\nNOTES:'))
  }

  test('say how to read the first Secret, and what is not safe', async () => {
    const said = await notes('try-out')
    expect(said).toContain('kubectl -n tidemark get secret tidemark-owner -o jsonpath=')
    expect(said).toMatch(/WARNING: browsers run without their own sandbox, because the seccomp profile RuntimeDefault/)
    expect(said).toMatch(/WARNING: the database is a Postgres of one pod/)
    const bare = await notes('internal', '--set', 'networkPolicy.enabled=false')
    expect(bare).toContain('WARNING: there are no network policies')
    expect(bare).not.toMatch(/sandbox|tidemark-owner|Postgres of one pod/)
  })

  test('say where to look when nothing becomes ready, what stays, and that no browser comes', async () => {
    const said = await notes('try-out')
    expect(said).toContain('kubectl -n tidemark logs deployment/tidemark-api --container migrate')
    expect(said).toContain('and so do the claims and the custom resource definitions.')
    expect(said).not.toContain('there are no runner pods')
    expect(await notes('try-out', '--set', 'crds.enabled=false')).toContain('and so do the claims.')
    for (const [value, next] of [
      ['operator.enabled=false', 'set operator.enabled=true.'],
      ['runner.max=0', 'Set runner.max.'],
    ])
      expect(await notes('try-out', '--set', value ?? '')).toMatch(
        new RegExp(`WARNING: there are no runner pods, so checks that need a browser wait\\..*${next}`),
      )
  })

  test('say that nothing is rendered where the sandbox is required and refused', async () => {
    const required = await notes('try-out', '--set', 'runner.sandbox=required')
    expect(required).toMatch(/WARNING: nothing is rendered, because runner\.sandbox is required/)
    expect(required).not.toContain('without their own sandbox')
    const profile = ['--set', 'runner.seccompProfile.type=Localhost,runner.seccompProfile.localhostProfile=a.json']
    for (const sandbox of ['auto', 'required'])
      expect(await notes('try-out', ...profile, '--set', `runner.sandbox=${sandbox}`)).not.toMatch(/sandbox|rendered/)
  })

  test('warn where every Secret can be read by whoever may create a monitor', async () => {
    const warning = 'WARNING: operator.secrets.requireLabel is false'
    expect(await notes('try-out')).not.toContain(warning)
    expect(await notes('try-out', '--set', 'operator.secrets.requireLabel=false')).toContain(warning)
    const without = ['--set', 'operator.secrets.requireLabel=false,operator.enabled=false']
    expect(await notes('try-out', ...without)).not.toContain(warning)
  })
})
