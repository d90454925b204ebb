import { Choice, Closed } from '../shape/shape.ts'
import { SECCOMP_PROFILE } from './kubernetes-shapes.ts'
import { ofFamily } from './value-families.ts'
import {
  files,
  flag,
  image,
  nameOf,
  number,
  optionalFlag,
  requests,
  resources,
  text,
  texts,
  value,
} from './value-shapes.ts'

export const operator = Closed(
  {
    enabled: flag(true, 'Run the operator, which keeps custom resources and monitors the same.'),
    replicas: number(2, [1, 10], 'Pods. One leads.'),
    defaultTeam: ofFamily(
      'team_id',
      text('', 'Id of the team of namespaces without the label tidemark.dev/team. Unset: the first owner’s.', 36),
    ),
    namespaces: texts('namespace', 'Namespaces that the default team holds in, beside that of the release.'),
    watchNamespaces: texts(
      'namespace',
      'Namespaces in which the operator may read Secrets of resources. Elsewhere an administrator of the ' +
        'namespace binds the ClusterRole …-secret-reader.',
    ),
    secrets: Closed(
      {
        requireLabel: flag(
          true,
          'Read a Secret only if it has the label tidemark.dev/monitors: "true". In the namespace of the release ' +
            'it is needed whatever this is.',
        ),
      },
      { description: 'Secrets that resources name.' },
    ),
    mirrors: flag(
      false,
      'Let the operator write, in all namespaces, the resources that mirror monitors of the API. Namespaces with ' +
        'the label tidemark.dev/mirror need it; see docs/custom-resources.md.',
    ),
    clusterId: text('', 'Id of a cluster that was rebuilt over the same database; see docs/custom-resources.md.', 64),
    ...requests('100m', '512Mi'),
  },
  { description: 'The operator.' },
)

export const runner = Closed(
  {
    max: number(10, [0, 1000], 'Most pods at the same time. 0: none, and checks that need a browser wait.'),
    slots: number(4, [1, 100], 'Checks of one pod at the same time.'),
    idleSeconds: number(30, [1, 86_400], 'A pod without work ends after this time.'),
    image: image('tidemark-runner', 'Image of runner pods, with the browser.'),
    sandbox: value(
      Choice(['auto', 'required'], {
        description:
          'auto: browsers run without their own sandbox where the seccomp profile refuses it, and say so. ' +
          'required: nothing is rendered there.',
      }),
      'auto',
    ),
    seccompProfile: value(
      { ...SECCOMP_PROFILE, description: 'Seccomp profile of runner pods; see docs/runners.md.' },
      { type: 'RuntimeDefault' },
    ),
    runtimeClassName: nameOf('Runtime class of runner pods, such as gvisor.'),
    hostUsers: optionalFlag('As hostUsers, for runner pods. Unset: hostUsers.'),
    browserResources: resources('Requests and limits of the container of the browser.', {
      requests: { cpu: '500m', memory: '1Gi', 'ephemeral-storage': '256Mi' },
      limits: { memory: '1Gi', 'ephemeral-storage': '2Gi' },
    }),
    ...requests('250m', '512Mi', '1280Mi'),
    ...files('runner pods, which their browsers do not see'),
  },
  { description: 'Runner pods, which the operator starts and ends with the browser queue.' },
)
