{{/* The prefix of all names. The longest suffix is "-secret-reader". */}}
{{- define "tidemark.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tidemark.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "tidemark.labels" -}}
{{ include "tidemark.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Metadata of an object: (list $ "api" "name") */}}
{{- define "tidemark.metadata" -}}
name: {{ index . 2 }}
namespace: {{ (index . 0).Release.Namespace | quote }}
labels:
  {{- include "tidemark.labels" (index . 0) | nindent 2 }}
  app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "tidemark.image" -}}
{{- $image := .image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .root.Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "tidemark.keysSecret" -}}
{{- printf "%s-keys" (include "tidemark.fullname" .) -}}
{{- end -}}

{{- define "tidemark.ownerSecret" -}}
{{- printf "%s-owner" (include "tidemark.fullname" .) -}}
{{- end -}}

{{/* The address of the API's Service inside the cluster. */}}
{{- define "tidemark.serviceUrl" -}}
{{- $port := int .Values.api.service.port -}}
{{- printf "http://%s-api.%s.svc%s" (include "tidemark.fullname" .) .Release.Namespace (ternary "" (printf ":%d" $port) (eq $port 80)) -}}
{{- end -}}

{{/* Whether the setup makes Secrets. */}}
{{- define "tidemark.makesKeys" -}}
{{- if or (not .Values.encryptionKey.name) .Values.postgres.enabled }}true{{ end -}}
{{- end -}}

{{/* What a rendering refuses, in words. */}}
{{- define "tidemark.refusals" -}}
{{- $values := .Values -}}
{{- if and (not $values.database.existingSecret.name) (not $values.postgres.enabled) -}}
{{- fail "a database is needed: set database.existingSecret.name to a Secret with the address of a Postgres, or postgres.enabled=true to try Tidemark out" -}}
{{- end -}}
{{- if and $values.database.existingSecret.name $values.postgres.enabled -}}
{{- fail "database.existingSecret.name and postgres.enabled are both set: choose one of them" -}}
{{- end -}}
{{- $volume := $values.pictures.volume -}}
{{- if not (or $values.pictures.bucket.name $volume.existingClaim $volume.create) -}}
{{- fail "pictures of pages need a place that all pods share: set pictures.bucket.name, pictures.volume.existingClaim, or pictures.volume.create=true" -}}
{{- end -}}
{{- if and $values.pictures.bucket.name (or $volume.existingClaim $volume.create) -}}
{{- fail "pictures.bucket.name and pictures.volume are both set: choose one of them" -}}
{{- end -}}
{{- if and $values.pictures.bucket.name (not $values.pictures.bucket.existingSecret.name) -}}
{{- fail "pictures.bucket.name is set: set pictures.bucket.existingSecret.name to a Secret with its access key" -}}
{{- end -}}
{{- if and $values.postgres.enabled $values.postgres.volume.emptyDir $values.postgres.volume.existingClaim -}}
{{- fail "postgres.volume.emptyDir and postgres.volume.existingClaim are both set: choose one of them" -}}
{{- end -}}
{{- if and $values.exit.fromNode (hasKey $values.settings "TIDEMARK_EXIT_NAME") -}}
{{- fail "exit.fromNode and settings.TIDEMARK_EXIT_NAME are both set: choose one of them" -}}
{{- end -}}
{{- if and $values.api.ingress.enabled (not $values.api.ingress.host) -}}
{{- fail "api.ingress.enabled is true: set api.ingress.host" -}}
{{- end -}}
{{- if and $values.operator.enabled (not $values.owner.create) (not $values.operator.defaultTeam) $values.operator.namespaces -}}
{{- fail "operator.namespaces is set, but there is no default team: set operator.defaultTeam, or owner.create=true" -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]" (include "tidemark.fullname" .)) -}}
{{- fail (printf "names of Services begin with a letter, and those of the release %s would not: set fullnameOverride" .Release.Name) -}}
{{- end -}}
{{- if has (int $values.metrics.port) (list 8080 8081) -}}
{{- fail (printf "metrics.port %d is a port of the API or of runners: choose another one" (int $values.metrics.port)) -}}
{{- end -}}
{{- if and $values.api.autoscaling.enabled (gt (int $values.api.autoscaling.minReplicas) (int $values.api.autoscaling.maxReplicas)) -}}
{{- fail "api.autoscaling.minReplicas is above maxReplicas" -}}
{{- end -}}
{{- range $name := list "TIDEMARK_PLANS_FILE" "TIDEMARK_EXTRA_CA_FILE" "TIDEMARK_CLIENT_CERTIFICATES_FILE" -}}
{{- if and (hasKey $values.settings $name) (not $values.extraVolumeMounts) -}}
{{- fail (printf "settings.%s names a file: put it into the pods by extraVolumes and extraVolumeMounts" $name) -}}
{{- end -}}
{{- end -}}
{{- range $name := list "TIDEMARK_EXTRA_CA_FILE" "TIDEMARK_CLIENT_CERTIFICATES_FILE" -}}
{{- if and (hasKey $values.settings $name) $values.operator.enabled $values.runner.max (not $values.runner.extraVolumeMounts) -}}
{{- fail (printf "settings.%s names a file that runners read too: put it into their pods by runner.extraVolumes and runner.extraVolumeMounts" $name) -}}
{{- end -}}
{{- end -}}
{{- range $key := list "name" "instance" "component" "version" "managed-by" -}}
{{- if hasKey $values.commonLabels (printf "app.kubernetes.io/%s" $key) -}}
{{- fail (printf "commonLabels has app.kubernetes.io/%s, which the chart sets itself: leave it out" $key) -}}
{{- end -}}
{{- end -}}
{{- if hasKey $values.commonLabels "helm.sh/chart" -}}
{{- fail "commonLabels has helm.sh/chart, which the chart sets itself: leave it out" -}}
{{- end -}}
{{- range $name, $_ := $values.secretSettings -}}
{{- if not .name -}}
{{- fail (printf "secretSettings.%s.name is empty: set it to the name of a Secret" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Where the database is. */}}
{{- define "tidemark.databaseEnv" -}}
{{- if .Values.postgres.enabled -}}
- name: POSTGRES_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ include "tidemark.keysSecret" . }}
      key: postgres-password
- name: DATABASE_URL
  value: postgres://tidemark:$(POSTGRES_PASSWORD)@{{ include "tidemark.fullname" . }}-postgres:5432/tidemark
{{- else -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      {{- toYaml .Values.database.existingSecret | nindent 6 }}
{{- end }}
- name: TIDEMARK_ENCRYPTION_KEY
  valueFrom:
    secretKeyRef:
      name: {{ default (include "tidemark.keysSecret" .) .Values.encryptionKey.name | quote }}
      key: {{ .Values.encryptionKey.key | quote }}
{{- end -}}

{{/* The environment of all processes. */}}
{{- define "tidemark.env" -}}
- name: HOME
  value: /tmp
- name: HOST
  value: 0.0.0.0
- name: TIDEMARK_DATA_DIR
  value: /data
- name: TIDEMARK_METRICS_PORT
  value: {{ .Values.metrics.port | quote }}
- name: TIDEMARK_BASE_URL
  value: {{ default (include "tidemark.serviceUrl" .) .Values.api.baseUrl | quote }}
- name: TIDEMARK_OWNER_EMAIL
  value: {{ .Values.owner.email | quote }}
{{- with .Values.egress.allowPrivateCidrs }}
- name: TIDEMARK_ALLOW_PRIVATE_CIDRS
  value: {{ join "," . | quote }}
{{- end }}
{{- with .Values.egress.denyCidrs }}
- name: TIDEMARK_DENY_CIDRS
  value: {{ join "," . | quote }}
{{- end }}
{{- with .Values.pictures.bucket }}
{{- if .name }}
- name: S3_BUCKET
  value: {{ .name | quote }}
- name: AWS_REGION
  value: {{ .region | quote }}
{{- with .endpoint }}
- name: S3_ENDPOINT
  value: {{ . | quote }}
{{- end }}
- name: AWS_ACCESS_KEY_ID
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret.name | quote }}
      key: {{ .existingSecret.idKey | quote }}
- name: AWS_SECRET_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret.name | quote }}
      key: {{ .existingSecret.secretKey | quote }}
{{- end }}
{{- end }}
{{ include "tidemark.databaseEnv" . }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  {{- /* A large number would be written with an exponent. */}}
  value: {{ ternary (int64 $value) $value (kindIs "float64" $value) | toString | quote }}
{{- end }}
{{- range $name, $ref := .Values.secretSettings }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $ref.name | quote }}
      key: {{ default $name $ref.key | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "tidemark.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "tidemark.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
- name: data
  mountPath: /data
{{- if not .Values.pictures.bucket.name }}
- name: pictures
  mountPath: /data/images
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "tidemark.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
- name: data
  emptyDir:
    sizeLimit: 1Gi
{{- if not .Values.pictures.bucket.name }}
- name: pictures
  persistentVolumeClaim:
    claimName: {{ default (printf "%s-pictures" (include "tidemark.fullname" .)) .Values.pictures.volume.existingClaim | quote }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* A container of the main image: (dict "root" $ "name" "api" "args" (list …)) */}}
{{- define "tidemark.container" -}}
name: {{ .name }}
image: {{ include "tidemark.image" (dict "root" .root "image" .root.Values.image) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args:
  {{- toYaml .args | nindent 2 }}
securityContext:
  {{- include "tidemark.containerSecurity" . | nindent 2 }}
volumeMounts:
  {{- include "tidemark.volumeMounts" .root | nindent 2 }}
env:
  {{- include "tidemark.env" .root | nindent 2 }}
{{- end -}}

{{/* The exit of searches of a pod, where it is the pod's node. */}}
{{- define "tidemark.exit" -}}
{{- if .Values.exit.fromNode -}}
- name: TIDEMARK_EXIT_NAME
  valueFrom:
    fieldRef:
      fieldPath: spec.nodeName
{{- end -}}
{{- end -}}

{{/* Requests of containers that run once and are gone. */}}
{{- define "tidemark.shortResources" -}}
resources:
  requests:
    cpu: 50m
    memory: 256Mi
    ephemeral-storage: 64Mi
  limits:
    memory: 512Mi
    ephemeral-storage: 512Mi
{{- end -}}

{{/* Waits for the database and migrates it. Pods of one rollout take turns. */}}
{{- define "tidemark.migration" -}}
- {{- include "tidemark.container" (dict "root" . "name" "migrate" "args" (list "migrate" "--wait" "300")) | nindent 2 }}
  {{- include "tidemark.shortResources" . | nindent 2 }}
{{- end -}}

{{/* Fields of a pod's spec that all pods have: (dict "root" $ "component" "api" "values" .Values.api) */}}
{{- define "tidemark.podSpec" -}}
{{- $hostUsers := ternary .values.hostUsers .root.Values.hostUsers (kindIs "bool" .values.hostUsers) -}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    {{- toYaml (default (dict "type" "RuntimeDefault") .values.seccompProfile) | nindent 4 }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if kindIs "bool" $hostUsers }}
hostUsers: {{ $hostUsers }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ quote . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if and .root.Values.topologySpread (ne .component "setup") }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "tidemark.selector" $.root | nindent 8 }}
        app.kubernetes.io/component: {{ $.component }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Labels and annotations of a pod. A changed value of a Secret that the chart does not know needs a restart. */}}
{{- define "tidemark.podMetadata" -}}
labels:
  {{- include "tidemark.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
  {{- if has .component (list "api" "worker" "operator") }}
  tidemark.dev/has-metrics: 'true'
  {{- end }}
annotations:
  kubectl.kubernetes.io/default-container: {{ .component }}
  checksum/settings: {{ include "tidemark.env" .root | sha256sum }}
  {{- with .values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Probes of the health port. A start waits for the first connection to the database. */}}
{{- define "tidemark.probes" -}}
startupProbe:
  httpGet:
    path: /healthz
    port: health
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet:
    path: /healthz
    port: health
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet:
    path: /readyz
    port: health
  periodSeconds: 5
  timeoutSeconds: 4
  failureThreshold: 2
{{- end -}}

{{- define "tidemark.disruptionBudget" -}}
{{- if and .root.Values.podDisruptionBudget.enabled (gt (int .replicas) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "tidemark.metadata" (list .root .component (printf "%s-%s" (include "tidemark.fullname" .root) .component)) | nindent 2 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "tidemark.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
{{- end }}
{{- end -}}
