// Generated from schema/ by `npm run gen`.
import type * as pulumi from '@pulumi/pulumi'

/** The values of the chart. */
export interface ChartValues {
  /** Replaces the name of the chart in names and labels. At most 63 characters. */
  nameOverride?: pulumi.Input<string | undefined>
  /** Replaces the prefix of the names of all objects. At most 40 characters. */
  fullnameOverride?: pulumi.Input<string | undefined>
  /** Replaces the namespace of the release in all objects. At most 63 characters. */
  namespaceOverride?: pulumi.Input<string | undefined>
  /** Labels of all objects. At most 64 entries. */
  commonLabels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Image of the API, the workers, the operator and the setup. */
  image?: pulumi.Input<ImageValues | undefined>
  /**
   * Registry, with a folder if there is one, before the names of all images. Unset: global.imageRegistry. At most 255
   * characters.
   */
  imageRegistry?: pulumi.Input<string | undefined>
  /**
   * Secrets with which nodes fetch images, such as {name: registry}. Unset: global.imagePullSecrets. At most 64 items.
   */
  imagePullSecrets?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Custom resource definitions. */
  crds?: pulumi.Input<CrdsValues | undefined>
  /** The first account. A Job makes it; the notes of the release say how to read its Secret. */
  owner?: pulumi.Input<OwnerValues | undefined>
  /**
   * Key that encrypts secrets in the database. Without a name, the setup makes one in a Secret that stays when the
   * release is uninstalled: make a backup of it.
   */
  encryptionKey?: pulumi.Input<EncryptionKeyValues | undefined>
  /** The database. Either this or postgres.enabled is needed. */
  database?: pulumi.Input<DatabaseValues | undefined>
  /** A Postgres of the chart. */
  postgres?: pulumi.Input<PostgresValues | undefined>
  /** Where pictures of pages are kept. A bucket or a volume is needed. */
  pictures?: pulumi.Input<PicturesValues | undefined>
  /** Settings of docs/settings.md, by their names. */
  settings?: pulumi.Input<SettingsValues | undefined>
  /** Secret settings of docs/settings.md, by their names, each from a Secret: {name: …, key: …}. */
  secretSettings?: pulumi.Input<SecretSettingsValues | undefined>
  /** Opens and closes networks in both, the guard of the processes and the network policies. */
  egress?: pulumi.Input<EgressValues | undefined>
  /** The addresses that searches come from: one search of an engine is under way at each. */
  exit?: pulumi.Input<ExitValues | undefined>
  /** The API. */
  api?: pulumi.Input<ApiValues | undefined>
  /** The workers, which check and deliver. */
  worker?: pulumi.Input<WorkerValues | undefined>
  /** The operator. */
  operator?: pulumi.Input<OperatorValues | undefined>
  /**
   * What runs once: the setup, migrations, the test and the uninstallation. Their pods go to nodes of the API, the last
   * one to those of the operator.
   */
  setup?: pulumi.Input<SetupValues | undefined>
  /** Runner pods, which the operator starts and ends with the browser queue. */
  runner?: pulumi.Input<RunnerValues | undefined>
  /** Metrics. */
  metrics?: pulumi.Input<MetricsValues | undefined>
  /** Network policies. */
  networkPolicy?: pulumi.Input<NetworkPolicyValues | undefined>
  /** Disruption budgets. */
  podDisruptionBudget?: pulumi.Input<PodDisruptionBudgetValues | undefined>
  /** Spread the pods of a component over nodes and zones, where possible. Default: true. */
  topologySpread?: pulumi.Input<boolean | undefined>
  /** False: pods get a user namespace of their own. Unset: the default of the cluster. */
  hostUsers?: pulumi.Input<true | false | '' | undefined>
  /**
   * True: the cluster assigns the user and the groups of pods, as OpenShift does. False: the chart says which. Default:
   * false.
   */
  assignedUsers?: pulumi.Input<boolean | undefined>
  /** What the processes listen on. Set :: where pods have addresses of IPv6; it takes IPv4 too. Default: 0.0.0.0. */
  listenAddress?: pulumi.Input<'0.0.0.0' | '::' | undefined>
  /** Volumes of the pods of the API, the workers and the operator, for files that settings name. At most 64 items. */
  extraVolumes?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Where their containers see them, such as {name: …, mountPath: …, readOnly: true}. At most 64 items. */
  extraVolumeMounts?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /**
   * Variables of these pods that are no settings, such as NODE_EXTRA_CA_CERTS: {name: …, value: …}. At most 64 items.
   */
  extraEnv?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Objects of your own that are installed with the release. Texts in them are templates of Helm. At most 64 items. */
  extraObjects?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
}

/** Image of the API, the workers, the operator and the setup. */
export interface ImageValues {
  /** Name of the image, with its registry. 1 to 255 characters. Default: tidemark-service. */
  repository?: pulumi.Input<string | undefined>
  /** Unset: the version of the chart. At most 128 characters. */
  tag?: pulumi.Input<string | undefined>
  /** Such as sha256:…. It is stronger than the tag. At most 71 characters. */
  digest?: pulumi.Input<string | undefined>
  /** When nodes fetch it. Default: IfNotPresent. */
  pullPolicy?: pulumi.Input<'Always' | 'IfNotPresent' | 'Never' | undefined>
}

/** Custom resource definitions. */
export interface CrdsValues {
  /** Install and upgrade the custom resource definitions with the release. Default: true. */
  enabled?: pulumi.Input<boolean | undefined>
  /** Keep them, and so all resources, when the release is uninstalled. Default: true. */
  keep?: pulumi.Input<boolean | undefined>
}

/** The first account. A Job makes it; the notes of the release say how to read its Secret. */
export interface OwnerValues {
  /** Address of the first owner, to whom notices go. 1 to 254 characters. Default: owner@tidemark.local. */
  email?: pulumi.Input<string | undefined>
  /** Make the first owner, and write a password and an API key into a Secret, once. Default: true. */
  create?: pulumi.Input<boolean | undefined>
}

/**
 * Key that encrypts secrets in the database. Without a name, the setup makes one in a Secret that stays when the
 * release is uninstalled: make a backup of it.
 */
export interface EncryptionKeyValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: encryption-key. */
  key?: pulumi.Input<string | undefined>
}

/** The database. Either this or postgres.enabled is needed. */
export interface DatabaseValues {
  /** Secret with the address of an external Postgres, postgres://user:password@host:5432/name. */
  existingSecret?: pulumi.Input<DatabaseExistingSecretValues | undefined>
  /** Its port, which the network policies open. 1 to 65,535. Default: 5432. */
  port?: pulumi.Input<number | undefined>
  /** Networks that the database is in. Empty: any address, on that port. At most 90 items. */
  cidrs?: pulumi.Input<pulumi.Input<string>[] | undefined>
}

/** Secret with the address of an external Postgres, postgres://user:password@host:5432/name. */
export interface DatabaseExistingSecretValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: uri. */
  key?: pulumi.Input<string | undefined>
}

/** A Postgres of the chart. */
export interface PostgresValues {
  /** Run a Postgres of one pod. For trying it out: it has no replica and no backup. Default: false. */
  enabled?: pulumi.Input<boolean | undefined>
  /** Image of Postgres 15 or newer. */
  image?: pulumi.Input<PostgresImageValues | undefined>
  /** Where the data are. */
  volume?: pulumi.Input<PostgresVolumeValues | undefined>
  /** User and group of the container, which own the data. 1 to 65,535. Default: 10999. */
  runAsUser?: pulumi.Input<number | undefined>
  /**
   * Requests and limits of the container. Without a limit of cpu a pod may use what is free. Default: {"requests":
   * {"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "256Mi"}, "limits": {"memory": "512Mi",
   * "ephemeral-storage": "2Gi"}}.
   */
  resources?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Labels that a node must have. At most 64 entries. */
  nodeSelector?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Taints that pods tolerate. At most 64 items. */
  tolerations?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Affinity of pods. */
  affinity?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Priority class of pods. At most 253 characters. */
  priorityClassName?: pulumi.Input<string | undefined>
  /** Annotations of pods. At most 64 entries. */
  podAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Labels of pods. At most 64 entries. */
  podLabels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Annotations of the ServiceAccount of pods. At most 64 entries. */
  serviceAccountAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
}

/** Image of Postgres 15 or newer. */
export interface PostgresImageValues {
  /** Name of the image, with its registry. 1 to 255 characters. Default: postgres. */
  repository?: pulumi.Input<string | undefined>
  /** Version of the image. 1 to 128 characters. Default: 18. */
  tag?: pulumi.Input<string | undefined>
  /** Such as sha256:…. It is stronger than the tag. At most 71 characters. */
  digest?: pulumi.Input<string | undefined>
  /** When nodes fetch it. Default: IfNotPresent. */
  pullPolicy?: pulumi.Input<'Always' | 'IfNotPresent' | 'Never' | undefined>
}

/** Where the data are. */
export interface PostgresVolumeValues {
  /** Claim that exists. Unset: one is made, and kept at an uninstall. At most 253 characters. */
  existingClaim?: pulumi.Input<string | undefined>
  /** Size of the claim that is made. 1 to 32 characters. Default: 8Gi. */
  size?: pulumi.Input<string | number | boolean | undefined>
  /** Its storage class. Unset: the default of the cluster. At most 253 characters. */
  storageClassName?: pulumi.Input<string | undefined>
  /** Keep the data in the pod only. It is lost with the pod. Default: false. */
  emptyDir?: pulumi.Input<boolean | undefined>
}

/** Where pictures of pages are kept. A bucket or a volume is needed. */
export interface PicturesValues {
  /** A bucket, which all pods share. */
  bucket?: pulumi.Input<PicturesBucketValues | undefined>
  /** A volume, where there is no bucket. */
  volume?: pulumi.Input<PicturesVolumeValues | undefined>
}

/** A bucket, which all pods share. */
export interface PicturesBucketValues {
  /** Name of the bucket. At most 255 characters. */
  name?: pulumi.Input<string | undefined>
  /** S3-compatible service. Unset: AWS. At most 2,048 characters. */
  endpoint?: pulumi.Input<string | undefined>
  /** Region of the bucket. 1 to 64 characters. Default: us-east-1. */
  region?: pulumi.Input<string | undefined>
  /** Access key of the bucket. */
  existingSecret?: pulumi.Input<PicturesBucketExistingSecretValues | undefined>
  /** Port of the service, which the network policies open. 1 to 65,535. Default: 443. */
  port?: pulumi.Input<number | undefined>
  /** Private networks that the service is in. Empty: it has public addresses. At most 90 items. */
  cidrs?: pulumi.Input<pulumi.Input<string>[] | undefined>
}

/** Access key of the bucket. */
export interface PicturesBucketExistingSecretValues {
  /** Secret with the access key. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key with the id. 1 to 253 characters. Default: access-key-id. */
  idKey?: pulumi.Input<string | undefined>
  /** Its key with the secret. 1 to 253 characters. Default: secret-access-key. */
  secretKey?: pulumi.Input<string | undefined>
}

/** A volume, where there is no bucket. */
export interface PicturesVolumeValues {
  /** Claim that all pods can mount (ReadWriteMany, or one node). At most 253 characters. */
  existingClaim?: pulumi.Input<string | undefined>
  /** Make a claim, which is kept at an uninstall. Default: false. */
  create?: pulumi.Input<boolean | undefined>
  /** Size of the claim that is made. 1 to 32 characters. Default: 8Gi. */
  size?: pulumi.Input<string | number | boolean | undefined>
  /** Its storage class. Unset: the default of the cluster. At most 253 characters. */
  storageClassName?: pulumi.Input<string | undefined>
  /** ReadWriteOnce: all pods run on one node. Default: ReadWriteMany. */
  accessMode?: pulumi.Input<'ReadWriteMany' | 'ReadWriteOnce' | undefined>
}

/** Settings of docs/settings.md, by their names. */
export interface SettingsValues {
  /**
   * Address that links in messages begin with. Default: TIDEMARK_BASE_URL, where the dashboard is served. Without both,
   * messages have no links to runs. 1 to 2,048 characters.
   */
  TIDEMARK_DASHBOARD_URL?: pulumi.Input<string | undefined>
  /** Whether the API serves the dashboard at /. off: / leads to the documentation only. Default: on. */
  TIDEMARK_DASHBOARD?: pulumi.Input<'on' | 'off' | undefined>
  /** Sender address of mail. Required with SMTP_URL. 1 to 254 characters. */
  SMTP_FROM?: pulumi.Input<string | undefined>
  /**
   * Issuer of an OpenID Connect provider that people sign in with, such as https://id.example.com/realms/main; see
   * docs/sign-in.md. Unset: people sign in with passwords only. 1 to 2,048 characters.
   */
  TIDEMARK_OIDC_ISSUER?: pulumi.Input<string | undefined>
  /** Id of this client at the provider. Required with the issuer. 1 to 512 characters. */
  TIDEMARK_OIDC_CLIENT_ID?: pulumi.Input<string | undefined>
  /**
   * JSON file with limits of plans that differ here; see docs/reference/usage-and-plans.md. The command that migrates
   * the database applies it: serve or migrate. 1 to 4,096 characters.
   */
  TIDEMARK_PLANS_FILE?: pulumi.Input<string | undefined>
  /**
   * JSON with the prices of plans and of packs of run credits. Required with STRIPE_SECRET_KEY. Example:
   * {"pro":"price_1abc","pro_serp":"price_2def","credits":{"5000":"price_3ghi"}}. 2 to 16,384 characters.
   */
  STRIPE_PRICES?: pulumi.Input<string | undefined>
  /** Address to ask in place of https://api.stripe.com, for tests. 1 to 2,048 characters. */
  STRIPE_API_URL?: pulumi.Input<string | undefined>
  /**
   * PEM file with certificates of private authorities. Targets and webhooks whose certificates they signed are
   * accepted; see docs/egress.md. 1 to 4,096 characters.
   */
  TIDEMARK_EXTRA_CA_FILE?: pulumi.Input<string | undefined>
  /** JSON file with client certificates, each for named hosts and teams; see docs/egress.md. 1 to 4,096 characters. */
  TIDEMARK_CLIENT_CERTIFICATES_FILE?: pulumi.Input<string | undefined>
  /**
   * Networks of the reverse proxies whose X-Forwarded-For header is trusted, comma-separated. At most 4,096 characters.
   */
  TIDEMARK_TRUSTED_PROXIES?: pulumi.Input<string | undefined>
  /**
   * Open connections of one client address (IPv6: one /64) to the API and to the runner API. Addresses in
   * TIDEMARK_TRUSTED_PROXIES have no limit. 0: no limit. 0 to 1,000,000. Default: 500.
   */
  TIDEMARK_CONNECTIONS_PER_ADDRESS?: pulumi.Input<number | undefined>
  /** Who may create an account. open: everybody. invite: nobody without an invitation. Default: invite. */
  TIDEMARK_SIGNUP?: pulumi.Input<'invite' | 'open' | undefined>
  /** Plan of a new account. Default: free. */
  TIDEMARK_SIGNUP_PLAN?: pulumi.Input<'free' | 'lite' | 'starter' | 'pro' | 'scale' | 'unlimited' | undefined>
  /** Requests a minute for each API key or session. 0: no limit. 0 to 10,000,000. Default: 6000. */
  TIDEMARK_RATE_LIMIT?: pulumi.Input<number | undefined>
  /**
   * Invitation mails an hour of all teams together, half of them at most of teams on the plan free. 0: no limit but
   * that of each team; see docs/reference/teams-and-roles.md. 0 to 1,000,000. Default: 500.
   */
  TIDEMARK_INVITATION_MAILS?: pulumi.Input<number | undefined>
  /**
   * Bytes that the database may have. From 90 % of them on the owner is told, and from 95 % on previews and pictures
   * stop. Unset: only the disk of the embedded Postgres is looked at; see docs/operations.md. 1,000,000 to
   * 9,007,199,254,740,991.
   */
  TIDEMARK_DATABASE_MAX_BYTES?: pulumi.Input<number | undefined>
  /**
   * Seconds without a heartbeat after which another worker takes over the checks of a worker. 2 to 3,600. Default: 60.
   */
  TIDEMARK_LEASE_SECONDS?: pulumi.Input<number | undefined>
  /**
   * Concurrent checks of one host and port, for each worker. From 3 on, one team can use all slots but one. 1 to
   * 10,000. Default: 8.
   */
  TIDEMARK_HOST_CONCURRENCY?: pulumi.Input<number | undefined>
  /**
   * Concurrent deliveries to one host and port, for each worker; docs/webhooks.md describes how they are shared. 1 to
   * 10,000. Default: 5.
   */
  TIDEMARK_DESTINATION_CONCURRENCY?: pulumi.Input<number | undefined>
  /**
   * JSON that maps search engines to origins that are asked in place of them, for tests with saved pages:
   * {"google":"http://127.0.0.1:9000"}. A private origin needs TIDEMARK_ALLOW_PRIVATE_CIDRS too. 2 to 4,096 characters.
   */
  TIDEMARK_SERP_ENDPOINTS?: pulumi.Input<string | undefined>
  /**
   * Milliseconds between two checks of one search engine from one exit, at least; up to a half more is added at random.
   * See docs/search-results.md. 0 to 3,600,000. Default: 30000.
   */
  TIDEMARK_SERP_SPACING_MS?: pulumi.Input<number | undefined>
  /**
   * Name of the address that searches of this process come from. Processes behind one address share a name: one search
   * of an engine is under way for each name. 1 to 253 characters. Default: default.
   */
  TIDEMARK_EXIT_NAME?: pulumi.Input<string | undefined>
  /**
   * Country of that address, as in us. Runs for another country say that their country is approximate. Unset: all runs
   * say so. 2 to 2 characters.
   */
  TIDEMARK_EXIT_COUNTRY?: pulumi.Input<string | undefined>
  /**
   * Paid service that answers searches of Google when Google refuses; see docs/search-results.md. Example:
   * https://provider.example.com/search.json. Unset: there is none. 1 to 2,048 characters.
   */
  TIDEMARK_SERP_PROVIDER_URL?: pulumi.Input<string | undefined>
  /**
   * Checks that one runner pod may claim in all; then it ends. A pod that a page took over gets no more than these. 1
   * to 100,000. Default: 100.
   */
  TIDEMARK_RUNNER_CHECKS?: pulumi.Input<number | undefined>
  /** Seconds after which the token of a runner pod expires. The pod ends before that. 60 to 86,400. Default: 3600. */
  TIDEMARK_RUNNER_LIFETIME_SECONDS?: pulumi.Input<number | undefined>
  /**
   * Seconds after which the operator gives up a runner pod that does not run; see docs/runners.md. 10 to 3,600.
   * Default: 300.
   */
  TIDEMARK_RUNNER_START_SECONDS?: pulumi.Input<number | undefined>
  /**
   * Chromium program to use. Unset: the embedded one; on platforms without it, an installed one. 1 to 1,024 characters.
   */
  CHROMIUM_PATH?: pulumi.Input<string | undefined>
  /**
   * Concurrent static checks in one worker. Unless a team is alone, it leaves slots to the others: a quarter if its
   * checks are quick, most of them if its sites do not answer. 1 to 10,000. Default: 128.
   */
  TIDEMARK_CHECK_CONCURRENCY?: pulumi.Input<number | undefined>
  /**
   * OpenAI-compatible endpoint for prompt extraction; see docs/prompt.md. Example: https://models.example.com/v1.
   * Unset: runs of prompt monitors fail. 1 to 2,048 characters.
   */
  LLM_BASE_URL?: pulumi.Input<string | undefined>
  /** Model name for prompt extraction. 1 to 256 characters. Default: gpt-4.1-mini. */
  LLM_MODEL?: pulumi.Input<string | undefined>
  /**
   * Concurrent requests to the model, for each process. One team can use at most half of them. 1 to 1,000. Default: 8.
   */
  TIDEMARK_LLM_CONCURRENCY?: pulumi.Input<number | undefined>
  /** Time limit for one answer of the model, in seconds. 1 to 600. Default: 30. */
  TIDEMARK_LLM_TIMEOUT_SECONDS?: pulumi.Input<number | undefined>
  /**
   * Monitors that /metrics of a worker shows one by one: time since the last success, failures in a row, numeric
   * values; see docs/logs.md. 0: none. 0 to 10,000. Default: 0.
   */
  TIDEMARK_MONITOR_METRICS?: pulumi.Input<number | undefined>
  /**
   * Trace collector that takes OTLP over HTTP; see docs/logs.md. Example: http://127.0.0.1:4318. Unset: no traces. 1 to
   * 2,048 characters.
   */
  OTEL_EXPORTER_OTLP_ENDPOINT?: pulumi.Input<string | undefined>
  /** Name of this process in traces. 1 to 255 characters. Default: tidemark. */
  OTEL_SERVICE_NAME?: pulumi.Input<string | undefined>
  /** Traces that are sent, of a hundred. 0 to 100. Default: 100. */
  TIDEMARK_TRACE_PERCENT?: pulumi.Input<number | undefined>
  /** Lowest level of log lines that are written. Default: info. */
  TIDEMARK_LOG_LEVEL?: pulumi.Input<'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent' | undefined>
}

/** Secret settings of docs/settings.md, by their names, each from a Secret: {name: …, key: …}. */
export interface SecretSettingsValues {
  /**
   * Mail server: smtp://user:password@host:587 or smtps://…; see docs/messages.md. Unset: no mail is sent, and e-mail
   * deliveries fail.
   */
  SMTP_URL?: pulumi.Input<SecretSettingsSMTP_URLValues | undefined>
  /** Secret of this client at the provider. Required with the issuer. */
  TIDEMARK_OIDC_CLIENT_SECRET?: pulumi.Input<SecretSettingsTIDEMARK_OIDC_CLIENT_SECRETValues | undefined>
  /** Secret key of Stripe; see docs/billing.md. Unset: plans and run credits are given by commands. */
  STRIPE_SECRET_KEY?: pulumi.Input<SecretSettingsSTRIPE_SECRET_KEYValues | undefined>
  /** Secret that Stripe signs its events with. Required with STRIPE_SECRET_KEY. */
  STRIPE_WEBHOOK_SECRET?: pulumi.Input<SecretSettingsSTRIPE_WEBHOOK_SECRETValues | undefined>
  /** API key for LLM_BASE_URL. Unset: no key is sent. */
  LLM_API_KEY?: pulumi.Input<SecretSettingsLLM_API_KEYValues | undefined>
  /**
   * HTTP proxy that a check uses after the site refused it: http://user:password@host:port or https://…; see
   * docs/proxy.md. Unset: no proxy.
   */
  TIDEMARK_PROXY_URL?: pulumi.Input<SecretSettingsTIDEMARK_PROXY_URLValues | undefined>
  /** API key for TIDEMARK_SERP_PROVIDER_URL. Required with it. */
  TIDEMARK_SERP_PROVIDER_KEY?: pulumi.Input<SecretSettingsTIDEMARK_SERP_PROVIDER_KEYValues | undefined>
  /** Session token for S3_BUCKET. Needed with temporary credentials only. */
  AWS_SESSION_TOKEN?: pulumi.Input<SecretSettingsAWS_SESSION_TOKENValues | undefined>
  /**
   * Token that a request for /metrics must send, as Authorization: Bearer …. Without it, an API whose HOST is not a
   * loopback address serves no /metrics on PORT; use TIDEMARK_METRICS_PORT.
   */
  TIDEMARK_METRICS_TOKEN?: pulumi.Input<SecretSettingsTIDEMARK_METRICS_TOKENValues | undefined>
  /** Headers for OTEL_EXPORTER_OTLP_ENDPOINT, comma-separated: authorization=Bearer%20…. Values are percent-encoded. */
  OTEL_EXPORTER_OTLP_HEADERS?: pulumi.Input<SecretSettingsOTEL_EXPORTER_OTLP_HEADERSValues | undefined>
}

/**
 * Mail server: smtp://user:password@host:587 or smtps://…; see docs/messages.md. Unset: no mail is sent, and e-mail
 * deliveries fail.
 */
export interface SecretSettingsSMTP_URLValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: SMTP_URL. */
  key?: pulumi.Input<string | undefined>
}

/** Secret of this client at the provider. Required with the issuer. */
export interface SecretSettingsTIDEMARK_OIDC_CLIENT_SECRETValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: TIDEMARK_OIDC_CLIENT_SECRET. */
  key?: pulumi.Input<string | undefined>
}

/** Secret key of Stripe; see docs/billing.md. Unset: plans and run credits are given by commands. */
export interface SecretSettingsSTRIPE_SECRET_KEYValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: STRIPE_SECRET_KEY. */
  key?: pulumi.Input<string | undefined>
}

/** Secret that Stripe signs its events with. Required with STRIPE_SECRET_KEY. */
export interface SecretSettingsSTRIPE_WEBHOOK_SECRETValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: STRIPE_WEBHOOK_SECRET. */
  key?: pulumi.Input<string | undefined>
}

/** API key for LLM_BASE_URL. Unset: no key is sent. */
export interface SecretSettingsLLM_API_KEYValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: LLM_API_KEY. */
  key?: pulumi.Input<string | undefined>
}

/**
 * HTTP proxy that a check uses after the site refused it: http://user:password@host:port or https://…; see
 * docs/proxy.md. Unset: no proxy.
 */
export interface SecretSettingsTIDEMARK_PROXY_URLValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: TIDEMARK_PROXY_URL. */
  key?: pulumi.Input<string | undefined>
}

/** API key for TIDEMARK_SERP_PROVIDER_URL. Required with it. */
export interface SecretSettingsTIDEMARK_SERP_PROVIDER_KEYValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: TIDEMARK_SERP_PROVIDER_KEY. */
  key?: pulumi.Input<string | undefined>
}

/** Session token for S3_BUCKET. Needed with temporary credentials only. */
export interface SecretSettingsAWS_SESSION_TOKENValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: AWS_SESSION_TOKEN. */
  key?: pulumi.Input<string | undefined>
}

/**
 * Token that a request for /metrics must send, as Authorization: Bearer …. Without it, an API whose HOST is not a
 * loopback address serves no /metrics on PORT; use TIDEMARK_METRICS_PORT.
 */
export interface SecretSettingsTIDEMARK_METRICS_TOKENValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: TIDEMARK_METRICS_TOKEN. */
  key?: pulumi.Input<string | undefined>
}

/** Headers for OTEL_EXPORTER_OTLP_ENDPOINT, comma-separated: authorization=Bearer%20…. Values are percent-encoded. */
export interface SecretSettingsOTEL_EXPORTER_OTLP_HEADERSValues {
  /** Name of the Secret, in the namespace of the release. At most 253 characters. */
  name?: pulumi.Input<string | undefined>
  /** Its key. 1 to 253 characters. Default: OTEL_EXPORTER_OTLP_HEADERS. */
  key?: pulumi.Input<string | undefined>
}

/** Opens and closes networks in both, the guard of the processes and the network policies. */
export interface EgressValues {
  /** Private networks that checks and deliveries may connect to. At most 90 items. */
  allowPrivateCidrs?: pulumi.Input<pulumi.Input<string>[] | undefined>
  /** Networks that they must not connect to, such as public addresses of your own cluster. At most 90 items. */
  denyCidrs?: pulumi.Input<pulumi.Input<string>[] | undefined>
}

/** The addresses that searches come from: one search of an engine is under way at each. */
export interface ExitValues {
  /**
   * Name the exit of searches after the node of each pod, where nodes have public addresses of their own. Else all pods
   * share settings.TIDEMARK_EXIT_NAME. Default: false.
   */
  fromNode?: pulumi.Input<boolean | undefined>
}

/** The API. */
export interface ApiValues {
  /** Pods, where autoscaling is off. null: something else scales them. 1 to 100. Default: 2. */
  replicas?: pulumi.Input<number | undefined>
  /** HorizontalPodAutoscaler of the API. */
  autoscaling?: pulumi.Input<ApiAutoscalingValues | undefined>
  /**
   * Public address of the API, https://…. Unset: that of the Ingress, else that of the Service. At most 2,048
   * characters.
   */
  baseUrl?: pulumi.Input<string | undefined>
  /** Service of the API. */
  service?: pulumi.Input<ApiServiceValues | undefined>
  /** Ingress of the API. */
  ingress?: pulumi.Input<ApiIngressValues | undefined>
  /** HTTPRoute of the API, in place of an Ingress. */
  httpRoute?: pulumi.Input<ApiHttpRouteValues | undefined>
  /**
   * Requests and limits of the container. Without a limit of cpu a pod may use what is free. Default: {"requests":
   * {"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "256Mi"}, "limits": {"memory": "1280Mi",
   * "ephemeral-storage": "2Gi"}}.
   */
  resources?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Labels that a node must have. At most 64 entries. */
  nodeSelector?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Taints that pods tolerate. At most 64 items. */
  tolerations?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Affinity of pods. */
  affinity?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Priority class of pods. At most 253 characters. */
  priorityClassName?: pulumi.Input<string | undefined>
  /** Annotations of pods. At most 64 entries. */
  podAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Labels of pods. At most 64 entries. */
  podLabels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Annotations of the ServiceAccount of pods. At most 64 entries. */
  serviceAccountAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
}

/** HorizontalPodAutoscaler of the API. */
export interface ApiAutoscalingValues {
  /** Scale by the use of cpu. Default: false. */
  enabled?: pulumi.Input<boolean | undefined>
  /** Fewest pods. 1 to 100. Default: 2. */
  minReplicas?: pulumi.Input<number | undefined>
  /** Most pods. 1 to 100. Default: 6. */
  maxReplicas?: pulumi.Input<number | undefined>
  /** Share of the requested cpu to aim at. 1 to 100. Default: 70. */
  targetCPUUtilizationPercentage?: pulumi.Input<number | undefined>
}

/** Service of the API. */
export interface ApiServiceValues {
  /** Type of the Service. Default: ClusterIP. */
  type?: pulumi.Input<'ClusterIP' | 'NodePort' | 'LoadBalancer' | undefined>
  /** Port of the Service. 1 to 65,535. Default: 80. */
  port?: pulumi.Input<number | undefined>
  /** Annotations of the Service. At most 64 entries. */
  annotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Its families of addresses. Unset: the default of the cluster. */
  ipFamilyPolicy?: pulumi.Input<'' | 'SingleStack' | 'PreferDualStack' | 'RequireDualStack' | undefined>
  /** Local keeps the addresses of clients. For a NodePort or LoadBalancer. */
  externalTrafficPolicy?: pulumi.Input<'' | 'Cluster' | 'Local' | undefined>
  /** Class of a LoadBalancer. At most 253 characters. */
  loadBalancerClass?: pulumi.Input<string | undefined>
  /** Networks that a LoadBalancer lets in. Empty: all. At most 90 items. */
  loadBalancerSourceRanges?: pulumi.Input<pulumi.Input<string>[] | undefined>
}

/** Ingress of the API. */
export interface ApiIngressValues {
  /** Make an Ingress. Default: false. */
  enabled?: pulumi.Input<boolean | undefined>
  /** Its class. At most 253 characters. */
  className?: pulumi.Input<string | undefined>
  /** Host name. Required where it is enabled. At most 253 characters. */
  host?: pulumi.Input<string | undefined>
  /** Secret with the certificate. Unset: no TLS. At most 253 characters. */
  tlsSecretName?: pulumi.Input<string | undefined>
  /** Its annotations. At most 64 entries. */
  annotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
}

/** HTTPRoute of the API, in place of an Ingress. */
export interface ApiHttpRouteValues {
  /** Make an HTTPRoute. It needs the Gateway API. Default: false. */
  enabled?: pulumi.Input<boolean | undefined>
  /** Gateways that it belongs to, such as {name: …, namespace: …}. Required where it is enabled. At most 64 items. */
  parentRefs?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Its host names. Empty: those of the gateways. At most 256 items. */
  hostnames?: pulumi.Input<pulumi.Input<string>[] | undefined>
  /** Its annotations. At most 64 entries. */
  annotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
}

/** The workers, which check and deliver. */
export interface WorkerValues {
  /** Pods. null: something else scales them, as in the example of docs/kubernetes-install.md. 1 to 100. Default: 2. */
  replicas?: pulumi.Input<number | undefined>
  /** Time for checks that are under way when a pod ends. 30 to 3,600. Default: 90. */
  terminationGracePeriodSeconds?: pulumi.Input<number | undefined>
  /**
   * Requests and limits of the container. Without a limit of cpu a pod may use what is free. Default: {"requests":
   * {"cpu": "250m", "memory": "768Mi", "ephemeral-storage": "256Mi"}, "limits": {"memory": "1280Mi",
   * "ephemeral-storage": "2Gi"}}.
   */
  resources?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Labels that a node must have. At most 64 entries. */
  nodeSelector?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Taints that pods tolerate. At most 64 items. */
  tolerations?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Affinity of pods. */
  affinity?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Priority class of pods. At most 253 characters. */
  priorityClassName?: pulumi.Input<string | undefined>
  /** Annotations of pods. At most 64 entries. */
  podAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Labels of pods. At most 64 entries. */
  podLabels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Annotations of the ServiceAccount of pods. At most 64 entries. */
  serviceAccountAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
}

/** The operator. */
export interface OperatorValues {
  /** Run the operator, which keeps custom resources and monitors the same. Default: true. */
  enabled?: pulumi.Input<boolean | undefined>
  /** Pods. One leads. 1 to 10. Default: 2. */
  replicas?: pulumi.Input<number | undefined>
  /**
   * Id of the team of namespaces without the label tidemark.dev/team. Unset: the first owner’s. At most 36 characters.
   */
  defaultTeam?: pulumi.Input<string | undefined>
  /** Namespaces that the default team holds in, beside that of the release. At most 256 items. */
  namespaces?: pulumi.Input<pulumi.Input<string>[] | undefined>
  /**
   * Namespaces in which the operator may read Secrets of resources. Elsewhere an administrator of the namespace binds
   * the ClusterRole …-secret-reader. At most 256 items.
   */
  watchNamespaces?: pulumi.Input<pulumi.Input<string>[] | undefined>
  /** Secrets that resources name. */
  secrets?: pulumi.Input<OperatorSecretsValues | undefined>
  /**
   * Let the operator write, in all namespaces, the resources that mirror monitors of the API. Namespaces with the label
   * tidemark.dev/mirror need it; see docs/custom-resources.md. Default: false.
   */
  mirrors?: pulumi.Input<boolean | undefined>
  /** Id of a cluster that was rebuilt over the same database; see docs/custom-resources.md. At most 64 characters. */
  clusterId?: pulumi.Input<string | undefined>
  /**
   * Requests and limits of the container. Without a limit of cpu a pod may use what is free. Default: {"requests":
   * {"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "256Mi"}, "limits": {"memory": "512Mi",
   * "ephemeral-storage": "2Gi"}}.
   */
  resources?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Labels that a node must have. At most 64 entries. */
  nodeSelector?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Taints that pods tolerate. At most 64 items. */
  tolerations?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Affinity of pods. */
  affinity?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Priority class of pods. At most 253 characters. */
  priorityClassName?: pulumi.Input<string | undefined>
  /** Annotations of pods. At most 64 entries. */
  podAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Labels of pods. At most 64 entries. */
  podLabels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Annotations of the ServiceAccount of pods. At most 64 entries. */
  serviceAccountAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
}

/** Secrets that resources name. */
export interface OperatorSecretsValues {
  /**
   * Read a Secret only if it has the label tidemark.dev/monitors: "true". In the namespace of the release it is needed
   * whatever this is. Default: true.
   */
  requireLabel?: pulumi.Input<boolean | undefined>
}

/**
 * What runs once: the setup, migrations, the test and the uninstallation. Their pods go to nodes of the API, the last
 * one to those of the operator.
 */
export interface SetupValues {
  /**
   * Requests and limits of their containers. Default: {"requests": {"cpu": "50m", "memory": "256Mi",
   * "ephemeral-storage": "64Mi"}, "limits": {"memory": "512Mi", "ephemeral-storage": "512Mi"}}.
   */
  resources?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Annotations of pods. At most 64 entries. */
  podAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Labels of pods. At most 64 entries. */
  podLabels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Annotations of the ServiceAccount of pods. At most 64 entries. */
  serviceAccountAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
}

/** Runner pods, which the operator starts and ends with the browser queue. */
export interface RunnerValues {
  /** Most pods at the same time. 0: none, and checks that need a browser wait. 0 to 1,000. Default: 10. */
  max?: pulumi.Input<number | undefined>
  /** Checks of one pod at the same time. 1 to 100. Default: 4. */
  slots?: pulumi.Input<number | undefined>
  /** A pod without work ends after this time. 1 to 86,400. Default: 30. */
  idleSeconds?: pulumi.Input<number | undefined>
  /** Image of runner pods, with the browser. */
  image?: pulumi.Input<RunnerImageValues | undefined>
  /**
   * auto: browsers run without their own sandbox where the seccomp profile refuses it, and say so. required: nothing is
   * rendered there. Default: auto.
   */
  sandbox?: pulumi.Input<'auto' | 'required' | undefined>
  /** Seccomp profile of runner pods; see docs/runners.md. Default: {"type": "RuntimeDefault"}. */
  seccompProfile?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Runtime class of runner pods, such as gvisor. At most 253 characters. */
  runtimeClassName?: pulumi.Input<string | undefined>
  /** As hostUsers, for runner pods. Unset: hostUsers. */
  hostUsers?: pulumi.Input<true | false | '' | undefined>
  /**
   * Requests and limits of the container of the browser. Default: {"requests": {"cpu": "500m", "memory": "1Gi",
   * "ephemeral-storage": "256Mi"}, "limits": {"memory": "1Gi", "ephemeral-storage": "2Gi"}}.
   */
  browserResources?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /**
   * Requests and limits of the container. Without a limit of cpu a pod may use what is free. Default: {"requests":
   * {"cpu": "250m", "memory": "512Mi", "ephemeral-storage": "256Mi"}, "limits": {"memory": "1280Mi",
   * "ephemeral-storage": "2Gi"}}.
   */
  resources?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Labels that a node must have. At most 64 entries. */
  nodeSelector?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Taints that pods tolerate. At most 64 items. */
  tolerations?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Affinity of pods. */
  affinity?: pulumi.Input<{ [key: string]: unknown } | undefined>
  /** Priority class of pods. At most 253 characters. */
  priorityClassName?: pulumi.Input<string | undefined>
  /** Annotations of pods. At most 64 entries. */
  podAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Labels of pods. At most 64 entries. */
  podLabels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Annotations of the ServiceAccount of pods. At most 64 entries. */
  serviceAccountAnnotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Volumes of runner pods, which their browsers do not see, for files that settings name. At most 64 items. */
  extraVolumes?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Where their containers see them, such as {name: …, mountPath: …, readOnly: true}. At most 64 items. */
  extraVolumeMounts?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
}

/** Image of runner pods, with the browser. */
export interface RunnerImageValues {
  /** Name of the image, with its registry. 1 to 255 characters. Default: tidemark-runner. */
  repository?: pulumi.Input<string | undefined>
  /** Unset: the version of the chart. At most 128 characters. */
  tag?: pulumi.Input<string | undefined>
  /** Such as sha256:…. It is stronger than the tag. At most 71 characters. */
  digest?: pulumi.Input<string | undefined>
  /** When nodes fetch it. Default: IfNotPresent. */
  pullPolicy?: pulumi.Input<'Always' | 'IfNotPresent' | 'Never' | undefined>
}

/** Metrics. */
export interface MetricsValues {
  /** Port of health and metrics in every pod. 1 to 65,535. Default: 9100. */
  port?: pulumi.Input<number | undefined>
  /** Network policy peers that may read metrics. Empty: all pods of the cluster. At most 64 items. */
  from?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /**
   * Let the operator have a metric for each resource, tidemark_resource_ready, with its name. There are as many series
   * as resources. Default: false.
   */
  perResource?: pulumi.Input<boolean | undefined>
  /** Prometheus reads the metrics by the Service for metrics, which selects the pods of all parts. */
  serviceMonitor?: pulumi.Input<MetricsServiceMonitorValues | undefined>
  /** Prometheus reads the metrics of pods, without a Service. */
  podMonitor?: pulumi.Input<MetricsPodMonitorValues | undefined>
  /** Alerts about Tidemark itself. */
  prometheusRule?: pulumi.Input<MetricsPrometheusRuleValues | undefined>
  /** A dashboard of Grafana. */
  dashboard?: pulumi.Input<MetricsDashboardValues | undefined>
}

/** Prometheus reads the metrics by the Service for metrics, which selects the pods of all parts. */
export interface MetricsServiceMonitorValues {
  /** Make a ServiceMonitor of all parts, which Prometheus selects. It needs the Prometheus Operator. Default: false. */
  enabled?: pulumi.Input<boolean | undefined>
  /** How often metrics are read. 1 to 16 characters. Default: 30s. */
  interval?: pulumi.Input<string | undefined>
  /** Its labels, which Prometheus selects. At most 64 entries. */
  labels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Its annotations. At most 64 entries. */
  annotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Changes of the labels of what is read. At most 64 items. */
  relabelings?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Changes of the metrics before they are stored. At most 64 items. */
  metricRelabelings?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
}

/** Prometheus reads the metrics of pods, without a Service. */
export interface MetricsPodMonitorValues {
  /** Make a PodMonitor of all parts, in place of a ServiceMonitor. It needs the Prometheus Operator. Default: false. */
  enabled?: pulumi.Input<boolean | undefined>
  /** How often metrics are read. 1 to 16 characters. Default: 30s. */
  interval?: pulumi.Input<string | undefined>
  /** Its labels, which Prometheus selects. At most 64 entries. */
  labels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Its annotations. At most 64 entries. */
  annotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Changes of the labels of what is read. At most 64 items. */
  relabelings?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Changes of the metrics before they are stored. At most 64 items. */
  metricRelabelings?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
}

/** Alerts about Tidemark itself. */
export interface MetricsPrometheusRuleValues {
  /** Make a PrometheusRule with alerts. It needs the Prometheus Operator. Default: false. */
  enabled?: pulumi.Input<boolean | undefined>
  /** Its labels, which Prometheus selects. At most 64 entries. */
  labels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
  /** Its annotations. At most 64 entries. */
  annotations?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
}

/** A dashboard of Grafana. */
export interface MetricsDashboardValues {
  /** Make a ConfigMap with a dashboard of Grafana. Default: false. */
  enabled?: pulumi.Input<boolean | undefined>
  /** Its labels, which Grafana’s sidecar selects. At most 64 entries. Default: {"grafana_dashboard": "1"}. */
  labels?: pulumi.Input<{ [key: string]: pulumi.Input<string> } | undefined>
}

/** Network policies. */
export interface NetworkPolicyValues {
  /** Make network policies, the second defence behind the egress guard of the processes. Default: true. */
  enabled?: pulumi.Input<boolean | undefined>
  /** Peers that may reach the API. Empty: all. At most 64 items. */
  apiFrom?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Peers that answer DNS. Empty: all. At most 64 items. */
  dns?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
  /** Ports of the pods that answer DNS. OpenShift’s have 5353. 1 to 8 items. Default: [53]. */
  dnsPorts?: pulumi.Input<pulumi.Input<number>[] | undefined>
  /** Networks of the API server of the cluster. Empty: any address, on its ports. At most 90 items. */
  apiServerCidrs?: pulumi.Input<pulumi.Input<string>[] | undefined>
  /** Its ports. 1 to 8 items. Default: [443,6443]. */
  apiServerPorts?: pulumi.Input<pulumi.Input<number>[] | undefined>
  /**
   * Egress rules that the API and the workers have too, such as to a mail server, a model or a collector of traces in
   * the cluster. Runners do not have them. At most 64 items.
   */
  extraEgress?: pulumi.Input<pulumi.Input<{ [key: string]: unknown }>[] | undefined>
}

/** Disruption budgets. */
export interface PodDisruptionBudgetValues {
  /** Keep one pod of each component while nodes are drained, where there are two. Default: true. */
  enabled?: pulumi.Input<boolean | undefined>
}
