import Type from 'typebox'
import { Closed, Whole } from '../shape/shape.ts'
import { EGRESS_RULE, PEER } from './kubernetes-shapes.ts'
import { flag, listOf, networks, value } from './value-shapes.ts'

export const networkPolicy = Closed(
  {
    enabled: flag(true, 'Make network policies, the second defence behind the egress guard of the processes.'),
    apiFrom: listOf(PEER, 'Peers that may reach the API. Empty: all.'),
    dns: listOf(PEER, 'Peers that answer DNS. Empty: all.'),
    dnsPorts: value(
      Type.Array(Whole(1, 65_535), {
        minItems: 1,
        maxItems: 8,
        description: 'Ports of the pods that answer DNS. OpenShift’s have 5353.',
      }),
      [53],
    ),
    apiServerCidrs: networks('Networks of the API server of the cluster. Empty: any address, on its ports.'),
    apiServerPorts: value(
      Type.Array(Whole(1, 65_535), { minItems: 1, maxItems: 8, description: 'Its ports.' }),
      [443, 6443],
    ),
    extraEgress: listOf(
      EGRESS_RULE,
      'Egress rules that the API and the workers have too, such as to a mail server, a model or a collector of ' +
        'traces in the cluster. Runners do not have them.',
    ),
  },
  { description: 'Network policies.' },
)
