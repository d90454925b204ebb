import { Choice, Closed } from '../shape/shape.ts'
import { api } from './api-values.ts'
import { PULL_SECRET, VARIABLE } from './kubernetes-shapes.ts'
import { metrics } from './metrics-values.ts'
import { networkPolicy } from './network-policy-values.ts'
import { operator, runner } from './operator-values.ts'
import { secretSettings, settings } from './setting-values.ts'
import { database, postgres, pictures } from './store-values.ts'
import { ofFamily } from './value-families.ts'
import {
  existing,
  files,
  flag,
  image,
  imageRegistry,
  kubernetesList,
  labels,
  listOf,
  networks,
  number,
  objectName,
  ofSetup,
  optionalFlag,
  requests,
  resources,
  text,
  value,
} from './value-shapes.ts'

/**
 * The values of the Helm chart: defaults, meaning, and what is refused. `charts/tidemark/values.yaml`,
 * `values.schema.json` and the page of values are generated from it.
 */
export const ChartValues = Closed({
  nameOverride: objectName('Replaces the name of the chart in names and labels.', 63),
  fullnameOverride: objectName('Replaces the prefix of the names of all objects.', 40),
  namespaceOverride: objectName('Replaces the namespace of the release in all objects.', 63),
  commonLabels: labels('Labels of all objects.'),
  image: image('tidemark-service', 'Image of the API, the workers, the operator and the setup.'),
  imageRegistry: imageRegistry(
    'Registry, with a folder if there is one, before the names of all images. Unset: global.imageRegistry.',
  ),
  imagePullSecrets: listOf(
    PULL_SECRET,
    'Secrets with which nodes fetch images, such as {name: registry}. Unset: global.imagePullSecrets.',
  ),
  crds: Closed(
    {
      enabled: flag(true, 'Install and upgrade the custom resource definitions with the release.'),
      keep: flag(true, 'Keep them, and so all resources, when the release is uninstalled.'),
    },
    { description: 'Custom resource definitions.' },
  ),
  owner: Closed(
    {
      email: ofFamily(
        'mail_address',
        text('owner@tidemark.local', 'Address of the first owner, to whom notices go.', 254),
      ),
      create: flag(true, 'Make the first owner, and write a password and an API key into a Secret, once.'),
    },
    { description: 'The first account. A Job makes it; the notes of the release say how to read its Secret.' },
  ),
  encryptionKey: existing(
    'encryption-key',
    'Key that encrypts secrets in the database. Without a name, the setup makes one in a Secret that stays when ' +
      'the release is uninstalled: make a backup of it.',
  ),
  database,
  postgres,
  pictures,
  settings: Closed(settings, { description: 'Settings of docs/settings.md, by their names.' }),
  secretSettings: Closed(secretSettings, {
    description: 'Secret settings of docs/settings.md, by their names, each from a Secret: {name: …, key: …}.',
  }),
  egress: Closed(
    {
      allowPrivateCidrs: networks('Private networks that checks and deliveries may connect to.'),
      denyCidrs: networks('Networks that they must not connect to, such as public addresses of your own cluster.'),
    },
    { description: 'Opens and closes networks in both, the guard of the processes and the network policies.' },
  ),
  exit: Closed(
    {
      fromNode: flag(
        false,
        'Name the exit of searches after the node of each pod, where nodes have public addresses of their own. ' +
          'Else all pods share settings.TIDEMARK_EXIT_NAME.',
      ),
    },
    { description: 'The addresses that searches come from: one search of an engine is under way at each.' },
  ),
  api,
  worker: Closed(
    {
      replicas: number(
        2,
        [1, 100],
        'Pods. null: something else scales them, as in the example of docs/kubernetes-install.md.',
      ),
      terminationGracePeriodSeconds: number(90, [30, 3600], 'Time for checks that are under way when a pod ends.'),
      // Three threads that read the worst pages took 1.0 GiB with the rest, on two cores.
      ...requests('250m', '768Mi', '1280Mi'),
    },
    { description: 'The workers, which check and deliver.' },
  ),
  operator,
  setup: Closed(
    {
      resources: resources('Requests and limits of their containers.', {
        requests: { cpu: '50m', memory: '256Mi', 'ephemeral-storage': '64Mi' },
        limits: { memory: '512Mi', 'ephemeral-storage': '512Mi' },
      }),
      ...ofSetup,
    },
    {
      description:
        'What runs once: the setup, migrations, the test and the uninstallation. Their pods go to nodes of the API, ' +
        'the last one to those of the operator.',
    },
  ),
  runner,
  metrics,
  networkPolicy,
  podDisruptionBudget: Closed(
    { enabled: flag(true, 'Keep one pod of each component while nodes are drained, where there are two.') },
    { description: 'Disruption budgets.' },
  ),
  topologySpread: flag(true, 'Spread the pods of a component over nodes and zones, where possible.'),
  hostUsers: optionalFlag('False: pods get a user namespace of their own. Unset: the default of the cluster.'),
  assignedUsers: flag(
    false,
    'True: the cluster assigns the user and the groups of pods, as OpenShift does. False: the chart says which.',
  ),
  listenAddress: value(
    Choice(['0.0.0.0', '::'], {
      description: 'What the processes listen on. Set :: where pods have addresses of IPv6; it takes IPv4 too.',
    }),
    '0.0.0.0',
  ),
  ...files('the pods of the API, the workers and the operator'),
  extraEnv: listOf(
    VARIABLE,
    'Variables of these pods that are no settings, such as NODE_EXTRA_CA_CERTS: {name: …, value: …}.',
  ),
  extraObjects: kubernetesList(
    'Objects of your own that are installed with the release. Texts in them are templates of Helm.',
  ),
})
