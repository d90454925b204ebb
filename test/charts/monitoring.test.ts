import { expect, test } from 'vitest'
import { type Manifest, describeWithHelm, manifestsOf, podOf, render, valuesFile } from './helm.ts'

const TRY_OUT = ['-f', valuesFile('try-out')]
const json = (name: string, value: unknown) => ['--set-json', `${name}=${JSON.stringify(value)}`]
const ofKind = (manifests: readonly Manifest[], kind: string) => manifests.filter((one) => one.kind === kind)

describeWithHelm('Objects of the chart that other operators read', () => {
  test('are a PodMonitor of all parts that have metrics', async () => {
    const manifests = await manifestsOf(
      ...TRY_OUT,
      ...json('metrics.podMonitor', {
        ...{ enabled: true, interval: '15s', labels: { release: 'prometheus' } },
        relabelings: [{ action: 'labeldrop', regex: 'pod' }],
        metricRelabelings: [{ action: 'drop', sourceLabels: ['__name__'], regex: 'go_.*' }],
      }),
      ...['--set', 'secretSettings.TIDEMARK_METRICS_TOKEN.name=token'],
    )
    expect(ofKind(manifests, 'ServiceMonitor')).toEqual([])
    const [monitor] = ofKind(manifests, 'PodMonitor')
    expect(monitor?.metadata.labels).toMatchObject({ release: 'prometheus' })
    expect(monitor?.spec.podMetricsEndpoints).toEqual([
      {
        ...{ port: 'health', interval: '15s' },
        authorization: { credentials: { name: 'token', key: 'TIDEMARK_METRICS_TOKEN' } },
        relabelings: [{ action: 'labeldrop', regex: 'pod' }],
        metricRelabelings: [{ action: 'drop', sourceLabels: ['__name__'], regex: 'go_.*' }],
      },
    ])
    const wanted = Object.entries(monitor?.spec.selector.matchLabels as Record<string, string>)
    const read = manifests
      .map(podOf)
      .filter((pod) => pod !== null && wanted.every(([name, value]) => pod.metadata.labels?.[name] === value))
      .map((pod) => pod?.metadata.labels?.['app.kubernetes.io/component'])
    expect(new Set(read)).toEqual(new Set(['api', 'operator', 'worker']))
  })

  test.each(['serviceMonitor', 'podMonitor', 'prometheusRule'])(
    'have annotations of %s, as for tools that apply the definition later',
    async (key) => {
      const annotations = { 'argocd.argoproj.io/sync-options': 'SkipDryRunOnMissingResource=true' }
      const manifests = await manifestsOf(...TRY_OUT, ...json(`metrics.${key}`, { enabled: true, annotations }))
      const [made] = ofKind(manifests, `${key[0]?.toUpperCase()}${key.slice(1)}`)
      expect(made?.metadata.annotations).toEqual(annotations)
    },
  )

  test('have a metric for each resource only where that is wanted', async () => {
    const args = async (...more: string[]) =>
      (await manifestsOf(...TRY_OUT, ...more))
        .flatMap((manifest) => podOf(manifest)?.spec.containers ?? [])
        .flatMap(({ args: own = [] }) => own)
    expect(await args()).not.toContain('--metrics-per-resource')
    expect(await args('--set', 'metrics.perResource=true')).toContain('--metrics-per-resource')
  })

  test('alert on a missing operator only where the release has one, also on one that never came up', async () => {
    const rules = async (...more: string[]) => {
      const manifests = await manifestsOf(
        ...TRY_OUT,
        '--set',
        ['metrics.prometheusRule.enabled=true', ...more].join(','),
      )
      const [{ spec } = { spec: {} as never }] = ofKind(manifests, 'PrometheusRule')
      const { groups } = spec as { groups: { rules: { alert: string; expr: string }[] }[] }
      return groups.flatMap((group) => group.rules)
    }
    const missing = (await rules()).find(({ alert }) => alert === 'TidemarkOperatorMissing')
    expect(missing?.expr).toBe('absent(tidemark_operator_leader{namespace="tidemark"})')
    const others = (await rules('operator.enabled=false')).map(({ alert }) => alert)
    expect(others).not.toContain('TidemarkOperatorMissing')
    expect(others).toContain('TidemarkOperatorWithoutLeader')
  })

  test('are not both a ServiceMonitor and a PodMonitor', async () => {
    const both = 'metrics.serviceMonitor.enabled=true,metrics.podMonitor.enabled=true'
    const { ok, out } = await render(...TRY_OUT, '--set', both)
    expect(ok).toBe(false)
    expect(out).toContain('each pod would be read twice: choose one of them')
  })

  test('are objects of your own, whose texts are templates', async () => {
    const object = {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-extra' } },
      data: { url: '{{ include "tidemark.serviceUrl" . }}', pods: '{{ .Values.api.replicas }}' },
    }
    const manifests = await manifestsOf(...TRY_OUT, ...json('extraObjects', [object]))
    expect(ofKind(manifests, 'ConfigMap')).toEqual([
      {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tidemark-extra' } },
        data: { url: 'http://tidemark-api.tidemark.svc', pods: '2' },
      },
    ])
  })

  test('are pods that say why they ended', async () => {
    const pods = (await manifestsOf(...TRY_OUT)).map(podOf).filter((pod) => pod !== null)
    const containers = pods.flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])])
    const own = containers.filter(({ image, name }) => image?.startsWith('tidemark') && name !== 'browser')
    expect(own.length).toBeGreaterThan(8)
    for (const { name, ...container } of own)
      expect(container, name).toMatchObject({ terminationMessagePolicy: 'FallbackToLogsOnError' })
  })
})
