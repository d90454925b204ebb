import { Choice, Closed } from '../shape/shape.ts'
import { PARENT_REF } from './kubernetes-shapes.ts'
import { ofFamily } from './value-families.ts'
import { annotations, flag, listOf, nameOf, networks, number, requests, text, texts, value } from './value-shapes.ts'

/** The values of the API. */
export const api = Closed(
  {
    replicas: number(2, [1, 100], 'Pods, where autoscaling is off. null: something else scales them.'),
    autoscaling: Closed(
      {
        enabled: flag(false, 'Scale by the use of cpu.'),
        minReplicas: number(2, [1, 100], 'Fewest pods.'),
        maxReplicas: number(6, [1, 100], 'Most pods.'),
        targetCPUUtilizationPercentage: number(70, [1, 100], 'Share of the requested cpu to aim at.'),
      },
      { description: 'HorizontalPodAutoscaler of the API.' },
    ),
    baseUrl: ofFamily(
      'http_address',
      text('', 'Public address of the API, https://…. Unset: that of the Ingress, else that of the Service.'),
    ),
    service: Closed(
      {
        type: value(
          Choice(['ClusterIP', 'NodePort', 'LoadBalancer'], { description: 'Type of the Service.' }),
          'ClusterIP',
        ),
        port: number(80, [1, 65_535], 'Port of the Service.'),
        annotations: annotations('Annotations of the Service.'),
        ipFamilyPolicy: value(
          Choice(['', 'SingleStack', 'PreferDualStack', 'RequireDualStack'], {
            description: 'Its families of addresses. Unset: the default of the cluster.',
          }),
          '',
        ),
        externalTrafficPolicy: value(
          Choice(['', 'Cluster', 'Local'], {
            description: 'Local keeps the addresses of clients. For a NodePort or LoadBalancer.',
          }),
          '',
        ),
        loadBalancerClass: ofFamily('label_key', text('', 'Class of a LoadBalancer.', 253)),
        loadBalancerSourceRanges: networks('Networks that a LoadBalancer lets in. Empty: all.'),
      },
      { description: 'Service of the API.' },
    ),
    ingress: Closed(
      {
        enabled: flag(false, 'Make an Ingress.'),
        className: nameOf('Its class.'),
        host: ofFamily('host_name', text('', 'Host name. Required where it is enabled.', 253)),
        tlsSecretName: nameOf('Secret with the certificate. Unset: no TLS.'),
        annotations: annotations('Its annotations.'),
      },
      { description: 'Ingress of the API.' },
    ),
    httpRoute: Closed(
      {
        enabled: flag(false, 'Make an HTTPRoute. It needs the Gateway API.'),
        parentRefs: listOf(
          PARENT_REF,
          'Gateways that it belongs to, such as {name: …, namespace: …}. Required where it is enabled.',
        ),
        hostnames: texts('host_name', 'Its host names. Empty: those of the gateways.'),
        annotations: annotations('Its annotations.'),
      },
      { description: 'HTTPRoute of the API, in place of an Ingress.' },
    ),
    // Threads that read the largest pages of previews took 0.8 GB beside the rest.
    ...requests('100m', '512Mi', '1280Mi'),
  },
  { description: 'The API.' },
)
