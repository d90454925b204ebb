{{/* Puts defaults in the place of values that are null. Each file asks for it: Helm renders them in any order. */}}
{{- define "tidemark.defaults" -}}
{{- $root := . -}}
{{- range .Files.Get "files/defaults.yaml" | fromYamlArray -}}
{{- $section := $root.Values -}}
{{- $isThere := true -}}
{{- range $key := .path -}}
{{- if not (kindIs "map" (get $section $key)) -}}
{{- $isThere = false -}}
{{- $_ := set $section $key dict -}}
{{- end -}}
{{- $section = get $section $key -}}
{{- end -}}
{{- range $key, $value := ternary .values (merge (dict) .values .whole) $isThere -}}
{{- if or (not (hasKey $section $key)) (kindIs "invalid" (get $section $key)) -}}
{{- $_ := set $section $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

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

{{- define "tidemark.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end -}}

{{- define "tidemark.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Labels of an object, with those of a value, which replace common ones: (list $ .Values.api.podLabels) */}}
{{- define "tidemark.labelsWith" -}}
{{- $root := index . 0 -}}
{{ include "tidemark.selector" $root }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with merge (dict) (default dict (index . 1)) (default dict $root.Values.commonLabels) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "tidemark.labels" -}}
{{ include "tidemark.labelsWith" (list . (dict)) }}
{{- end -}}

{{/* Metadata of an object, with labels of a value or without: (list $ "api" "name" .Values.…labels) */}}
{{- define "tidemark.metadata" -}}
name: {{ index . 2 }}
namespace: {{ include "tidemark.namespace" (index . 0) | quote }}
labels:
  {{- include "tidemark.labelsWith" (list (index . 0) (ternary (last .) (dict) (kindIs "map" (last .)))) | nindent 2 }}
  app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "tidemark.image" -}}
{{- $registry := default (get (default (dict) .root.Values.global) "imageRegistry") .root.Values.imageRegistry -}}
{{- $name := ternary (printf "%s/%s" $registry .image.repository) .image.repository (not (empty $registry)) -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default .root.Chart.AppVersion .image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "tidemark.imagePullSecrets" -}}
{{- with default (get (default (dict) .Values.global) "imagePullSecrets") .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
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
{{- printf "http://%s-api.%s.svc%s" (include "tidemark.fullname" .) (include "tidemark.namespace" .) (ternary "" (printf ":%d" $port) (eq $port 80)) -}}
{{- end -}}

{{/* The public address of the API. */}}
{{- define "tidemark.baseUrl" -}}
{{- $ingress := .Values.api.ingress -}}
{{- if .Values.api.baseUrl -}}
{{- .Values.api.baseUrl -}}
{{- else if and $ingress.enabled (not (contains "*" $ingress.host)) -}}
{{- printf "%s://%s" (ternary "https" "http" (not (empty $ingress.tlsSecretName))) $ingress.host -}}
{{- else -}}
{{- include "tidemark.serviceUrl" . -}}
{{- end -}}
{{- end -}}

{{/* Whether the setup makes Secrets. */}}
{{- define "tidemark.makesKeys" -}}
{{- if or (not .Values.encryptionKey.name) .Values.postgres.enabled }}true{{ end -}}
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
{{ include "tidemark.knownEnv" . }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Without what a value adds as it is. */}}
{{- define "tidemark.knownEnv" -}}
- name: HOME
  value: /tmp
- name: HOST
  value: {{ .Values.listenAddress | quote }}
- name: TIDEMARK_DATA_DIR
  value: /data
- name: TIDEMARK_INSTALLED_BY
  value: chart
- name: TIDEMARK_METRICS_PORT
  value: {{ .Values.metrics.port | quote }}
- name: TIDEMARK_BASE_URL
  value: {{ include "tidemark.baseUrl" . | quote }}
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
# `kubectl describe pod` shows why it ended.
terminationMessagePolicy: FallbackToLogsOnError
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
  {{- toYaml .Values.setup.resources | nindent 2 }}
{{- end -}}

{{/* What the pod of the setup has of others: (list $ .Values.api) */}}
{{- define "tidemark.setupValues" -}}
{{- $scheduling := pick (index . 1) "nodeSelector" "tolerations" "affinity" "priorityClassName" -}}
{{- merge $scheduling (pick (index . 0).Values.setup "podAnnotations" "podLabels") | toYaml -}}
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
  {{- if not .root.Values.assignedUsers }}
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  {{- end }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    {{- toYaml (default (dict "type" "RuntimeDefault") .values.seccompProfile) | nindent 4 }}
{{- include "tidemark.imagePullSecrets" .root }}
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
  {{- include "tidemark.labelsWith" (list .root .values.podLabels) | nindent 2 }}
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

{{/* The account of a component's pods: (dict "root" $ "component" "api" "values" .Values.api) */}}
{{- define "tidemark.serviceAccount" }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- $name := printf "%s-%s" (include "tidemark.fullname" .root) .component }}
  {{- include "tidemark.metadata" (list .root .component $name) | nindent 2 }}
  {{- with .values.serviceAccountAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}

{{- define "tidemark.disruptionBudget" -}}
{{- /* A number that something else sets may be more than one. */}}
{{- if and .root.Values.podDisruptionBudget.enabled (or (kindIs "invalid" .replicas) (gt (int .replicas) 1)) }}
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
