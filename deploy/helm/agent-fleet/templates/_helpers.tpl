{{- define "agent-fleet.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* At most 40 characters: the longest name adds 17. Names of Services have no dots, which a release may have. */}}
{{- define "agent-fleet.fullname" -}}
{{- $name := include "agent-fleet.name" . }}
{{- $joined := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- default $joined .Values.fullnameOverride | replace "." "-" | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* What differs between the services: ports, variables, secrets. The list of secrets has those that may be absent. */}}
{{- define "agent-fleet.services" -}}
{{- $name := include "agent-fleet.fullname" . -}}
gateway:
  port: 8080
  metricsPort: 9464
  secrets: [JWT_SECRET, JWT_VERIFICATION_SECRET, JWT_PRIVATE_KEY, JWT_VERIFICATION_KEY, API_KEYS]
  env:
    AGENTS_URL: http://{{ $name }}-agents:8081
    IDENTITY_URL: http://{{ $name }}-identity:8083
    REGISTRY_URL: http://{{ $name }}-registry:8082
    TRUSTED_PROXIES: {{ .Values.gateway.trustedProxies | quote }}
agents:
  port: 8081
  metricsPort: 9465
  secrets: [SESSION_ENCRYPTION_KEY]
  env:
    REGISTRY_URL: http://{{ $name }}-registry:8082
registry:
  port: 8082
  metricsPort: 9466
  secrets: []
  env:
    MALLOC_MMAP_THRESHOLD_: "262144"
    MALLOC_TRIM_THRESHOLD_: "16777216"
identity:
  port: 8083
  metricsPort: 9467
  secrets: [JWT_SECRET, JWT_VERIFICATION_SECRET, JWT_PRIVATE_KEY, JWT_VERIFICATION_KEY, API_KEYS, ADMIN_EMAIL, ADMIN_PASSWORD]
  env: {}
{{- end }}

{{/* Labels that never change, of one component; the argument is (list context component). */}}
{{- define "agent-fleet.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "agent-fleet.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "agent-fleet.labels" -}}
{{- $root := index . 0 -}}
{{ include "agent-fleet.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: agent-fleet
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "agent-fleet.serviceAccount" -}}
{{- $default := ternary (include "agent-fleet.fullname" .) "default" .Values.serviceAccount.create }}
{{- default $default .Values.serviceAccount.name }}
{{- end }}

{{- define "agent-fleet.secret" -}}
{{- default (include "agent-fleet.fullname" .) .Values.existingSecret }}
{{- end }}

{{/* The Secret of the trial Redis; it has all the other values too if existingSecret is empty. */}}
{{- define "agent-fleet.trialSecret" -}}
{{- $name := include "agent-fleet.fullname" . }}
{{- ternary (printf "%s-trial-redis" $name) $name (ne .Values.existingSecret "") }}
{{- end }}

{{- define "agent-fleet.redisSecret" -}}
{{- if .Values.trialRedis.enabled }}{{ include "agent-fleet.trialSecret" . }}
{{- else }}{{ default (include "agent-fleet.secret" .) .Values.redis.existingSecret }}{{ end }}
{{- end }}

{{- define "agent-fleet.image" -}}
{{- $root := index . 0 }}{{ $image := index . 1 }}
{{- with $root.Values.image.registry }}{{ . }}/{{ end }}{{ $image.repository }}
{{- if $image.digest }}@{{ $image.digest }}
{{- else }}:{{ coalesce $image.tag $root.Values.image.tag $root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The variables of a service: (list context name). Its own override common ones, and extraEnv all of them. */}}
{{- define "agent-fleet.env" -}}
{{- $root := index . 0 }}{{ $name := index . 1 }}
{{- $service := index (include "agent-fleet.services" $root | fromYaml) $name }}
{{- $values := index $root.Values $name }}
{{- $common := dict "DRAIN_SECONDS" "3" "LOG_LEVEL" $root.Values.logLevel "METRICS_HOST" "0.0.0.0" }}
{{- $redis := dict "REDIS_PREFIX" $root.Values.redis.prefix "REDIS_MIN_REPLICAS" $root.Values.redis.minReplicas }}
{{- $ca := dict }}
{{- if $root.Values.redis.caSecret }}{{ $ca = dict "NODE_EXTRA_CA_CERTS" "/etc/redis-ca/ca.crt" }}{{ end }}
{{- $variables := dict }}
{{- range $key, $value := mergeOverwrite $common $redis $ca $service.env $root.Values.env $values.env }}
{{- $text := ternary (toString (int64 $value)) (toString $value) (kindIs "float64" $value) }}
{{- $_ := set $variables $key (dict "value" $text) }}
{{- end }}
{{- $urlKey := ternary "REDIS_URL" $root.Values.redis.urlKey $root.Values.trialRedis.enabled }}
{{- $url := dict "name" (include "agent-fleet.redisSecret" $root) "key" $urlKey }}
{{- $_ := set $variables "REDIS_URL" (dict "valueFrom" (dict "secretKeyRef" $url)) }}
{{- $secret := include "agent-fleet.secret" $root }}
{{- range concat (list "INTERNAL_TOKEN" "INTERNAL_VERIFICATION_TOKEN" "OTEL_EXPORTER_OTLP_HEADERS") $service.secrets }}
{{- $reference := dict "name" $secret "key" . "optional" (ne . "INTERNAL_TOKEN") }}
{{- $_ := set $variables . (dict "valueFrom" (dict "secretKeyRef" $reference)) }}
{{- end }}
{{- range $values.extraEnv }}{{ $_ := set $variables .name (omit . "name") }}{{ end }}
{{- range $key, $source := $variables }}
- name: {{ $key }}
  {{- toYaml $source | nindent 2 }}
{{- end }}
{{- end }}

{{- define "agent-fleet.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "agent-fleet.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}
