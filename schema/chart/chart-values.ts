import Type, { type TProperties, type TSchema } from 'typebox'
import { Config } from '../config/config.ts'
import { SECRET_SETTINGS } from '../config/secret-settings.ts'
import { Choice, Closed, Whole } from '../shape/shape.ts'
import { api } from './api-values.ts'
import { EGRESS_RULE, PEER, PULL_SECRET, SECCOMP_PROFILE, VARIABLE } from './kubernetes-shapes.ts'
import { ofFamily } from './value-families.ts'
import {
  annotations,
  existing,
  files,
  flag,
  image,
  imageRegistry,
  listOf,
  kubernetesList,
  labels,
  nameOf,
  networks,
  number,
  objectName,
  ofSetup,
  optionalFlag,
  requests,
  resources,
  scraping,
  size,
  text,
  texts,
  value,
} from './value-shapes.ts'

/** Settings that the chart's templates set themselves, from values of their own or from what they know of a pod. */
export const CHART_SETTINGS = [
  'PORT',
  'HOST',
  'DATABASE_URL',
  'TIDEMARK_DATA_DIR',
  'TIDEMARK_ENCRYPTION_KEY',
  'TIDEMARK_OWNER_EMAIL',
  'TIDEMARK_BASE_URL',
  'TIDEMARK_METRICS_PORT',
  'TIDEMARK_RUNNER_API_PORT',
  'TIDEMARK_RUNNER_API_URL',
  'TIDEMARK_RUNNER_TOKEN',
  'TIDEMARK_RUNNER_IDLE_SECONDS',
  'TIDEMARK_RUNNER_TEMPLATE',
  'TIDEMARK_RUNNER_SLOTS',
  'TIDEMARK_RUNNER_MAX',
  'TIDEMARK_CHROMIUM_SANDBOX',
  'TIDEMARK_BROWSER_SOCKET',
  'TIDEMARK_BROWSER_PAGES',
  'TIDEMARK_ALLOW_PRIVATE_CIDRS',
  'TIDEMARK_DENY_CIDRS',
  'TIDEMARK_INSTALLED_BY',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'S3_BUCKET',
  'S3_ENDPOINT',
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
] as const satisfies readonly (keyof Config)[]

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name)

/** Settings that a start refuses without a scheme. */
const ADDRESSES: readonly (keyof Config)[] = [
  'TIDEMARK_DASHBOARD_URL',
  'TIDEMARK_OIDC_ISSUER',
  'TIDEMARK_SERP_PROVIDER_URL',
  'LLM_BASE_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
]

const settings: TProperties = Object.fromEntries(
  Object.entries(Config.properties as Readonly<Record<string, TSchema>>)
    .filter(([name]) => !isOneOf(CHART_SETTINGS, name) && !isOneOf(SECRET_SETTINGS, name))
    .map(([name, schema]) => [
      name,
      Type.Optional(isOneOf(ADDRESSES, name) ? ofFamily('http_address', schema) : schema),
    ]),
)

const secretSettings: TProperties = Object.fromEntries(
  SECRET_SETTINGS.filter((name) => !isOneOf(CHART_SETTINGS, name)).map((name) => [
    name,
    Type.Optional(existing(name, (Config.properties[name] as { readonly description?: string }).description ?? '')),
  ]),
)

/**
 * The values of the Helm chart: defaults, meaning, and what is refused. `charts/tidemark/values.yaml`,
 * `values.schema.json` and the page of values are generated from it.
 */
export const ChartValues = Closed({
  nameOverride: objectName('Replaces the name of the chart in names and labels.', 63),
  fullnameOverride: objectName('Replaces the prefix of the names of all objects.', 40),
  namespaceOverride: objectName('Replaces the namespace of the release in all objects.', 63),
  commonLabels: labels('Labels of all objects.'),
  image: image('tidemark', 'Image of the API, the workers, the operator and the setup.'),
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
  database: Closed(
    {
      existingSecret: existing(
        'uri',
        'Secret with the address of an external Postgres, postgres://user:password@host:5432/name.',
      ),
      port: number(5432, [1, 65_535], 'Its port, which the network policies open.'),
      cidrs: networks('Networks that the database is in. Empty: any address, on that port.'),
    },
    { description: 'The database. Either this or postgres.enabled is needed.' },
  ),
  postgres: Closed(
    {
      enabled: flag(false, 'Run a Postgres of one pod. For trying it out: it has no replica and no backup.'),
      image: image('postgres', 'Image of Postgres 15 or newer.', '18'),
      volume: Closed(
        {
          existingClaim: nameOf('Claim that exists. Unset: one is made, and kept at an uninstall.'),
          size: size('Size of the claim that is made.'),
          storageClassName: nameOf('Its storage class. Unset: the default of the cluster.'),
          emptyDir: flag(false, 'Keep the data in the pod only. It is lost with the pod.'),
        },
        { description: 'Where the data are.' },
      ),
      runAsUser: number(10_999, [1, 65_535], 'User and group of the container, which own the data.'),
      ...requests('100m', '512Mi'),
    },
    { description: 'A Postgres of the chart.' },
  ),
  pictures: Closed(
    {
      bucket: Closed(
        {
          name: text('', 'Name of the bucket.', 255),
          endpoint: ofFamily('http_address', text('', 'S3-compatible service. Unset: AWS.')),
          region: text('us-east-1', 'Region of the bucket.', 64),
          existingSecret: Closed(
            {
              name: nameOf('Secret with the access key.'),
              idKey: ofFamily('data_key', text('access-key-id', 'Its key with the id.', 253)),
              secretKey: ofFamily('data_key', text('secret-access-key', 'Its key with the secret.', 253)),
            },
            { description: 'Access key of the bucket.' },
          ),
          port: number(443, [1, 65_535], 'Port of the service, which the network policies open.'),
          cidrs: networks('Private networks that the service is in. Empty: it has public addresses.'),
        },
        { description: 'A bucket, which all pods share.' },
      ),
      volume: Closed(
        {
          existingClaim: nameOf('Claim that all pods can mount (ReadWriteMany, or one node).'),
          create: flag(false, 'Make a claim, which is kept at an uninstall.'),
          size: size('Size of the claim that is made.'),
          storageClassName: nameOf('Its storage class. Unset: the default of the cluster.'),
          accessMode: value(
            Choice(['ReadWriteMany', 'ReadWriteOnce'], { description: 'ReadWriteOnce: all pods run on one node.' }),
            'ReadWriteMany',
          ),
        },
        { description: 'A volume, where there is no bucket.' },
      ),
    },
    { description: 'Where pictures of pages are kept. A bucket or a volume is needed.' },
  ),
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
      ...requests('250m', '768Mi'),
    },
    { description: 'The workers, which check and deliver.' },
  ),
  operator: Closed(
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
  ),
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
  runner: Closed(
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
      ...requests('250m', '512Mi'),
      ...files('runner pods, which their browsers do not see'),
    },
    { description: 'Runner pods, which the operator starts and ends with the browser queue.' },
  ),
  metrics: Closed(
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
  ),
  networkPolicy: Closed(
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
  ),
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
