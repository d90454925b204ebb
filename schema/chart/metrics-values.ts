import { Closed } from '../shape/shape.ts'
import { PEER } from './kubernetes-shapes.ts'
import { annotations, flag, labels, listOf, number, scraping } from './value-shapes.ts'

export const metrics = Closed(
  {
    port: number(9100, [1, 65_535], 'Port of health and metrics in every pod.'),
    from: listOf(PEER, 'Network policy peers that may read metrics. Empty: all pods of the cluster.'),
    perResource: flag(
      false,
      'Let the operator have a metric for each resource, tidemark_resource_ready, with its name. There are as many ' +
        'series as resources.',
    ),
    serviceMonitor: scraping(
      'Make a ServiceMonitor of all parts, which Prometheus selects.',
      'Prometheus reads the metrics by the Service for metrics, which selects the pods of all parts.',
    ),
    podMonitor: scraping(
      'Make a PodMonitor of all parts, in place of a ServiceMonitor.',
      'Prometheus reads the metrics of pods, without a Service.',
    ),
    prometheusRule: Closed(
      {
        enabled: flag(false, 'Make a PrometheusRule with alerts. It needs the Prometheus Operator.'),
        labels: labels('Its labels, which Prometheus selects.'),
        annotations: annotations('Its annotations.'),
      },
      { description: 'Alerts about Tidemark itself.' },
    ),
    dashboard: Closed(
      {
        enabled: flag(false, 'Make a ConfigMap with a dashboard of Grafana.'),
        labels: labels('Its labels, which Grafana’s sidecar selects.', { grafana_dashboard: '1' }),
      },
      { description: 'A dashboard of Grafana.' },
    ),
  },
  { description: 'Metrics.' },
)
