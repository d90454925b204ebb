{{/* Refuses a value of a wrong form: (dict "value" … "at" "worker.replicas" "rest" (list …) "family" …) */}}
{{- define "tidemark.demand" -}}
{{- $all := . -}}
{{- $value := .value -}}
{{- if not .rest -}}
{{- $isNone := or (kindIs "invalid" $value) (and (eq (toString $value) "") (not .family.neverEmpty)) -}}
{{- if not (or $isNone (regexMatch .family.pattern (toString $value))) -}}
{{- fail (printf "%s is %q, which is not %s" .at (toString $value) .family.words) -}}
{{- end -}}
{{- else -}}
{{- $key := first .rest -}}
{{- $more := dict "rest" (rest .rest) "family" .family -}}
{{- if and (eq $key "@") (kindIs "map" $value) -}}
{{- range $name, $_ := $value -}}
{{- include "tidemark.demand" (merge (dict "value" $name "at" (printf "a key of %s" $all.at)) $more) -}}
{{- end -}}
{{- else if and (eq $key "*") (kindIs "map" $value) -}}
{{- range $name, $one := $value -}}
{{- include "tidemark.demand" (merge (dict "value" $one "at" (printf "%s.%s" $all.at $name)) $more) -}}
{{- end -}}
{{- else if and (eq $key "*") (kindIs "slice" $value) -}}
{{- range $at, $one := $value -}}
{{- include "tidemark.demand" (merge (dict "value" $one "at" (printf "%s[%d]" $all.at $at)) $more) -}}
{{- end -}}
{{- else if and (kindIs "map" $value) (hasKey $value $key) -}}
{{- include "tidemark.demand" (merge (dict "value" (get $value $key) "at" (printf "%s.%s" $all.at $key | trimPrefix ".")) $more) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A quantity as a number. */}}
{{- define "tidemark.amount" -}}
{{- $text := toString . | trimPrefix "+" -}}
{{- $number := regexFind "^[0-9.]+([eE][-+]?[0-9]+)?" $text -}}
{{- $factors := dict "" 1.0 "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 -}}
{{- $factors = merge $factors (dict "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0) -}}
{{- $factors = merge $factors (dict "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0) -}}
{{- mulf (float64 $number) (get $factors (trimPrefix $number $text)) -}}
{{- end -}}

{{/* What is asked for above its limit, or without one where that is needed, which the API server refuses. */}}
{{- define "tidemark.refuseResources" -}}
{{- $values := .Values -}}
{{- range $part := list "api" "worker" "operator" "setup" "runner" "postgres" -}}
{{- range $key := list "resources" "browserResources" -}}
{{- $own := default dict (get (get $values $part) $key) -}}
{{- $limits := default dict $own.limits -}}
{{- range $name, $asked := default dict $own.requests -}}
{{- $limit := get $limits $name -}}
{{- $where := printf "%s.%s.requests.%s" $part $key $name -}}
{{- $isLimited := and (hasKey $limits $name) (not (kindIs "invalid" $limit)) -}}
{{- $isWhole := or (hasPrefix "hugepages-" $name) (and (contains "/" $name) (not (contains "kubernetes.io/" $name))) -}}
{{- if and $isWhole (not $isLimited) (not (kindIs "invalid" $asked)) -}}
{{- fail (printf "%s is set: set %s.%s.limits.%s to the same, because it cannot be shared" $where $part $key $name) -}}
{{- end -}}
{{- if and $isLimited (not (kindIs "invalid" $asked)) -}}
{{- $amounts := list (include "tidemark.amount" $asked | float64) (include "tidemark.amount" $limit | float64) -}}
{{- if gt (first $amounts) (last $amounts) -}}
{{- fail (printf "%s is %q, above %s.%s.limits.%s, which is %q: set both" $where (toString $asked) $part $key $name (toString $limit)) -}}
{{- end -}}
{{- if and $isWhole (ne (first $amounts) (last $amounts)) -}}
{{- fail (printf "%s is %q, and %s.%s.limits.%s is %q: set both to the same, because it cannot be shared" $where (toString $asked) $part $key $name (toString $limit)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $limit := $limits -}}
{{- if and (contains "/" $name) (not (contains "kubernetes.io/" $name)) (not (kindIs "invalid" $limit)) -}}
{{- $amount := include "tidemark.amount" $limit | float64 -}}
{{- if ne $amount (floor $amount) -}}
{{- fail (printf "%s.%s.limits.%s is %q: set a whole number" $part $key $name (toString $limit)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $where, $size := dict "postgres.volume.size" $values.postgres.volume.size "pictures.volume.size" $values.pictures.volume.size -}}
{{- if eq (include "tidemark.amount" $size | float64) 0.0 -}}
{{- fail (printf "%s is %q: set a size above 0" $where (toString $size)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Peers and ports of network policies that the API server refuses. */}}
{{- define "tidemark.refusePolicies" -}}
{{- $policies := .Values.networkPolicy -}}
{{- $peers := dict "metrics.from" .Values.metrics.from "networkPolicy.apiFrom" $policies.apiFrom "networkPolicy.dns" $policies.dns -}}
{{- range $at, $rule := $policies.extraEgress -}}
{{- $where := printf "networkPolicy.extraEgress[%d]" $at -}}
{{- $_ := set $peers (printf "%s.to" $where) $rule.to -}}
{{- range $no, $one := $rule.ports -}}
{{- if $one.endPort -}}
{{- if or (not $one.port) (kindIs "string" $one.port) -}}
{{- fail (printf "%s.ports[%d] has endPort: set port to the number of the first port" $where $no) -}}
{{- end -}}
{{- if lt (int $one.endPort) (int $one.port) -}}
{{- fail (printf "%s.ports[%d].endPort is below port" $where $no) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $where, $all := $peers -}}
{{- range $at, $peer := $all -}}
{{- with $peer.ipBlock -}}
{{- if or (kindIs "map" $peer.podSelector) (kindIs "map" $peer.namespaceSelector) -}}
{{- fail (printf "%s[%d] has ipBlock and a selector: make two peers of them" $where $at) -}}
{{- end -}}
{{- $own := include "tidemark.networkBits" .cidr -}}
{{- $cidr := .cidr -}}
{{- range $no, $except := .except -}}
{{- $bits := include "tidemark.networkBits" $except -}}
{{- if or (eq $bits $own) (not (hasPrefix $own $bits)) -}}
{{- fail (printf "%s[%d].ipBlock.except[%d] is %q, which is no part of %s" $where $at $no $except $cidr) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Tolerations, volumes and mounts that the API server refuses in pods. */}}
{{- define "tidemark.refusePods" -}}
{{- $values := .Values -}}
{{- range $part := list "api" "worker" "operator" "runner" "postgres" -}}
{{- range $at, $one := (get $values $part).tolerations -}}
{{- $where := printf "%s.tolerations[%d]" $part $at -}}
{{- if and (eq (default "" $one.operator) "Exists") $one.value -}}
{{- fail (printf "%s has the operator Exists and a value: leave one of them out" $where) -}}
{{- end -}}
{{- if and (not $one.key) (ne (default "" $one.operator) "Exists") -}}
{{- fail (printf "%s has no key: set one, or its operator to Exists" $where) -}}
{{- end -}}
{{- if and (hasKey $one "tolerationSeconds") (ne (default "" $one.effect) "NoExecute") -}}
{{- fail (printf "%s has tolerationSeconds: set its effect to NoExecute, which they belong to" $where) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $own := dict "volumes" (list "tmp" "data") "folders" (list "/tmp" "/data") -}}
{{- if not $values.pictures.bucket.name -}}
{{- $own = dict "volumes" (list "tmp" "data" "pictures") "folders" (list "/tmp" "/data" "/data/images") -}}
{{- end -}}
{{- include "tidemark.refuseMounts" (dict "values" $values "prefix" "" "own" $own) -}}
{{- $own = dict "volumes" (list "tmp" "browser-tmp" "browser") "folders" (list "/tmp" "/run/browser") -}}
{{- include "tidemark.refuseMounts" (dict "values" $values.runner "prefix" "runner." "own" $own) -}}
{{- end -}}

{{/* (dict "values" … "prefix" "runner." "own" (dict "volumes" (list …) "folders" (list …))): what the chart has itself */}}
{{- define "tidemark.refuseMounts" -}}
{{- $prefix := .prefix -}}
{{- $volumes := .own.volumes -}}
{{- range $at, $one := .values.extraVolumes -}}
{{- if has $one.name $volumes -}}
{{- fail (printf "%sextraVolumes[%d].name is %q, which is there already: choose another one" $prefix $at $one.name) -}}
{{- end -}}
{{- $volumes = append $volumes $one.name -}}
{{- end -}}
{{- $folders := .own.folders -}}
{{- range $at, $one := .values.extraVolumeMounts -}}
{{- $where := printf "%sextraVolumeMounts[%d]" $prefix $at -}}
{{- if not (has $one.name $volumes) -}}
{{- fail (printf "%s.name is %q, of which there is no volume: put it into %sextraVolumes" $where $one.name $prefix) -}}
{{- end -}}
{{- $folder := clean (printf "/%s" $one.mountPath) -}}
{{- if has $folder $folders -}}
{{- fail (printf "%s.mountPath is %q, where something else is mounted: choose another one" $where $one.mountPath) -}}
{{- end -}}
{{- $folders = append $folders $folder -}}
{{- if and $one.subPath $one.subPathExpr -}}
{{- fail (printf "%s has subPath and subPathExpr: choose one of them" $where) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What a rendering refuses, in words. */}}
{{- define "tidemark.refusals" -}}
{{- $values := .Values -}}
{{- range $family := .Files.Get "files/value-families.yaml" | fromYamlArray -}}
{{- range $family.paths -}}
{{- include "tidemark.demand" (dict "value" $values "at" "" "rest" (splitList "/" .) "family" $family) -}}
{{- end -}}
{{- end -}}
{{- include "tidemark.refuseResources" . -}}
{{- include "tidemark.refusePods" . -}}
{{- include "tidemark.refusePolicies" . -}}
{{- $settings := default dict $values.settings -}}
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
{{- if and $values.exit.fromNode (hasKey $settings "TIDEMARK_EXIT_NAME") -}}
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
{{- if and $values.metrics.serviceMonitor.enabled $values.metrics.podMonitor.enabled -}}
{{- fail "metrics.serviceMonitor.enabled and metrics.podMonitor.enabled are both true, and each pod would be read twice: choose one of them" -}}
{{- end -}}
{{- range $name := list "TIDEMARK_PLANS_FILE" "TIDEMARK_EXTRA_CA_FILE" "TIDEMARK_CLIENT_CERTIFICATES_FILE" -}}
{{- if and (hasKey $settings $name) (not $values.extraVolumeMounts) -}}
{{- fail (printf "settings.%s names a file: put it into the pods by extraVolumes and extraVolumeMounts" $name) -}}
{{- end -}}
{{- end -}}
{{- range $name := list "TIDEMARK_EXTRA_CA_FILE" "TIDEMARK_CLIENT_CERTIFICATES_FILE" -}}
{{- if and (hasKey $settings $name) $values.operator.enabled $values.runner.max (not $values.runner.extraVolumeMounts) -}}
{{- fail (printf "settings.%s names a file that runners read too: put it into their pods by runner.extraVolumes and runner.extraVolumeMounts" $name) -}}
{{- end -}}
{{- end -}}
{{- $labels := dict "commonLabels" $values.commonLabels -}}
{{- range $key := list "api" "worker" "operator" "runner" "setup" "postgres" -}}
{{- $_ := set $labels (printf "%s.podLabels" $key) (get $values $key).podLabels -}}
{{- end -}}
{{- range $key := list "serviceMonitor" "podMonitor" "prometheusRule" "dashboard" -}}
{{- $_ := set $labels (printf "metrics.%s.labels" $key) (get $values.metrics $key).labels -}}
{{- end -}}
{{- range $where, $own := $labels -}}
{{- range $name, $_ := $own -}}
{{- if or (hasPrefix "tidemark.dev/" $name) (eq $name "helm.sh/chart") (regexMatch "^app[.]kubernetes[.]io/(name|instance|component|version|managed-by)$" $name) -}}
{{- fail (printf "%s has %s, which the chart sets itself: leave it out" $where $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $taken := list "PORT" "OWNER_TEAM" "TIDEMARK_BROWSER_PAGES" "TIDEMARK_RUNNER_API_PORT" -}}
{{- $taken = concat $taken (list "TIDEMARK_RUNNER_TEMPLATE" "TIDEMARK_RUNNER_SLOTS" "TIDEMARK_RUNNER_MAX") -}}
{{- if $values.exit.fromNode }}{{ $taken = append $taken "TIDEMARK_EXIT_NAME" }}{{ end -}}
{{- range include "tidemark.knownEnv" . | fromYamlArray }}{{ $taken = append $taken .name }}{{ end -}}
{{- range $values.extraEnv -}}
{{- if has .name $taken -}}
{{- fail (printf "extraEnv has %s, which is there already: the chart or another value sets it, or it is there twice" .name) -}}
{{- end -}}
{{- $taken = append $taken .name -}}
{{- end -}}
{{- $seccomp := default dict $values.runner.seccompProfile -}}
{{- if and (eq (default "" $seccomp.type) "Localhost") (not $seccomp.localhostProfile) -}}
{{- fail "runner.seccompProfile.type is Localhost: set runner.seccompProfile.localhostProfile to the file of the profile" -}}
{{- end -}}
{{- if and $seccomp.localhostProfile (ne (default "" $seccomp.type) "Localhost") -}}
{{- fail "runner.seccompProfile.localhostProfile is set: set runner.seccompProfile.type to Localhost, which it belongs to" -}}
{{- end -}}
{{- if and $values.api.httpRoute.enabled (not $values.api.httpRoute.parentRefs) -}}
{{- fail "api.httpRoute.enabled is true: set api.httpRoute.parentRefs to its Gateway" -}}
{{- end -}}
{{- range $name, $_ := $values.secretSettings -}}
{{- if not .name -}}
{{- fail (printf "secretSettings.%s.name is empty: set it to the name of a Secret" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
