{{- define "renderline.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "renderline.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* Of objects, not of pods: what changes with the version of the chart would restart pods whose build has not changed. */ -}}
{{- define "renderline.labels" -}}
{{ include "renderline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "renderline.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "renderline.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{- /* Image of a version: `tag` and `digest` of its own, or those of the release. */ -}}
{{- define "renderline.image" -}}
{{- $image := .root.Values.image -}}
{{- $own := or .tag .digest -}}
{{- $tag := ternary .tag $image.tag (not (empty $own)) -}}
{{- $digest := ternary .digest $image.digest (not (empty $own)) -}}
{{- if $digest -}}
{{ $image.repository }}@{{ $digest }}
{{- else -}}
{{ $image.repository }}:{{ $tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- /* What renderline.yaml says: the values that have a name here, and `settings` for the rest. */ -}}
{{- define "renderline.settings" -}}
{{- $known := dict "baseUrl" .Values.platform.baseUrl -}}
{{- with .Values.platform.rateLimit }}{{ $_ := set $known "rateLimit" . }}{{ end -}}
{{- with .Values.taskQueue }}{{ $_ := set $known "taskQueue" . }}{{ end -}}
{{- with .Values.temporal.ui }}{{ $_ := set $known "temporalUi" . }}{{ end -}}
{{- if .Values.receiver.enabled }}{{ $_ := set $known "wakeUpsUrl" (printf "http://%s-receiver:8099/wake-ups" (include "renderline.name" .)) }}{{ end -}}
{{- toYaml (merge $known .Values.settings) -}}
{{- end -}}

{{- /*
Variables of every process of ours: where the platform and Temporal are, and what to be known by there.
@param isControlled Temporal's controller adds those of its Connection
*/ -}}
{{- define "renderline.environment" -}}
{{- $isControlled := .isControlled -}}
{{- with .root -}}
{{- $hosts := .Values.allowHosts -}}
{{- if .Values.receiver.enabled }}{{ $hosts = append $hosts (printf "%s-receiver" (include "renderline.name" .)) }}{{ end -}}
- { name: RENDERLINE_CONFIG, value: /etc/renderline/settings/renderline.yaml }
- { name: RENDERLINE_API_KEY_FILE, value: /etc/renderline/platform/api-key }
- { name: RENDERLINE_CACHE_DIR, value: /tmp/cache }
{{- if not $isControlled }}
- { name: TEMPORAL_ADDRESS, value: {{ .Values.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .Values.temporal.namespace | quote }} }
{{- end }}
{{- $ca := .Values.ca }}
{{- with .Values.temporal }}
{{- if and .apiKey.existingSecret (not $isControlled) }}
- name: TEMPORAL_API_KEY
  valueFrom:
    secretKeyRef: { name: {{ .apiKey.existingSecret | quote }}, key: {{ .apiKey.secretKey | quote }} }
{{- end }}
{{- $isMutual := not (empty .tls.clientSecret) }}
{{- if and (or .tls.enabled $isMutual .tls.caSecret .apiKey.existingSecret $ca.temporal) (not (and $isControlled $isMutual)) }}
- { name: TEMPORAL_TLS, value: "true" }
{{- end }}
{{- if .tls.serverName }}
- { name: TEMPORAL_TLS_SERVER_NAME, value: {{ .tls.serverName | quote }} }
{{- end }}
{{- if and $isMutual (not $isControlled) }}
- { name: TEMPORAL_TLS_CLIENT_CERT_PATH, value: /etc/renderline/temporal-client/tls.crt }
- { name: TEMPORAL_TLS_CLIENT_KEY_PATH, value: /etc/renderline/temporal-client/tls.key }
{{- end }}
{{- if .tls.caSecret }}
- { name: TEMPORAL_TLS_SERVER_CA_CERT_PATH, value: /etc/renderline/temporal-ca/ca.crt }
{{- else if $ca.temporal }}
- { name: TEMPORAL_TLS_SERVER_CA_CERT_PATH, value: /etc/renderline/ca/ca.crt }
{{- end }}
{{- end }}
{{- if include "renderline.caVolume" . }}
- { name: NODE_EXTRA_CA_CERTS, value: /etc/renderline/ca/ca.crt }
{{- end }}
{{- with .Values.encryption }}
{{- if .existingSecret }}
- { name: RENDERLINE_CODEC_KEYS_FILE, value: /etc/renderline/encryption/codec-keys }
{{- end }}
{{- with .keyId }}
- { name: RENDERLINE_CODEC_KEY_ID, value: {{ . | quote }} }
{{- end }}
{{- if and .existingSecret (not .write) }}
- { name: RENDERLINE_CODEC_WRITE, value: "off" }
{{- end }}
{{- if .privateNames }}
- { name: RENDERLINE_PRIVATE_NAMES, value: "1" }
{{- end }}
{{- end }}
{{- $receiver := ternary (list (printf "%s-receiver" (include "renderline.name" .))) list .Values.receiver.enabled }}
{{- with .Values.proxy }}
{{- with .http }}
- { name: HTTP_PROXY, value: {{ . | quote }} }
{{- end }}
{{- with .https }}
- { name: HTTPS_PROXY, value: {{ . | quote }} }
{{- end }}
{{- if or .http .https .existingSecret }}
{{- with concat .noProxy $receiver }}
- { name: NO_PROXY, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- with $hosts }}
- { name: RENDERLINE_ALLOW_HOSTS, value: {{ join "," . | quote }} }
{{- end }}
{{- range $name, $value := .Values.environment }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}
{{- end -}}

{{- /*
Secrets and ConfigMaps whose entries are variables. Those of pipelines and connectors are for who compiles and who works.
@param of values of the kind of pod @param pipelines whether it compiles or works
*/ -}}
{{- define "renderline.envFrom" -}}
{{- $secrets := ternary .root.Values.secretEnvironment (list) .pipelines -}}
{{- with .root.Values.proxy.existingSecret }}{{ $secrets = append $secrets . }}{{ end -}}
{{- range $secrets }}
- secretRef: { name: {{ . | quote }} }
{{- end }}
{{- include "renderline.extra" (dict "root" .root "of" .of "list" "envFrom") }}
{{- end -}}

{{- /* Entries of values that are for all pods, then those for one kind of them. @param list name of the value */ -}}
{{- define "renderline.extra" -}}
{{- with concat (index .root.Values .list) (index .of .list) }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* @param of values of the kind of pod */ -}}
{{- define "renderline.mounts" -}}
{{- with .root -}}
- { name: settings, mountPath: /etc/renderline/settings, readOnly: true }
- { name: platform, mountPath: /etc/renderline/platform, readOnly: true }
{{- if .Values.temporal.tls.clientSecret }}
- { name: temporal-client, mountPath: /etc/renderline/temporal-client, readOnly: true }
{{- end }}
{{- if .Values.temporal.tls.caSecret }}
- { name: temporal-ca, mountPath: /etc/renderline/temporal-ca, readOnly: true }
{{- end }}
{{- if .Values.encryption.existingSecret }}
- { name: encryption, mountPath: /etc/renderline/encryption, readOnly: true }
{{- end }}
{{- if include "renderline.caVolume" . }}
- { name: ca, mountPath: /etc/renderline/ca, readOnly: true }
{{- end }}
- { name: tmp, mountPath: /tmp }
{{- end }}
{{- include "renderline.extra" (merge (dict "list" "extraVolumeMounts") .) }}
{{- end -}}

{{- /* Volumes of every process. Secrets can be read by the group of the pod alone. @param size of /tmp @param of values of the kind of pod @param settings name of the ConfigMap; empty: that of the release */ -}}
{{- define "renderline.volumes" -}}
- name: settings
  configMap: { name: {{ .settings | default (include "renderline.name" .root) }} }
- name: platform
  secret:
    secretName: {{ .root.Values.platform.existingSecret | quote }}
    defaultMode: 0440
    items:
      - { key: {{ .root.Values.platform.secretKey | quote }}, path: api-key }
{{- with .root.Values.temporal.tls.clientSecret }}
- name: temporal-client
  secret: { secretName: {{ . | quote }}, defaultMode: 0440 }
{{- end }}
{{- with .root.Values.temporal.tls.caSecret }}
- name: temporal-ca
  secret: { secretName: {{ . | quote }}, defaultMode: 0440 }
{{- end }}
{{- with .root.Values.encryption }}
{{- if .existingSecret }}
- name: encryption
  secret:
    secretName: {{ .existingSecret | quote }}
    defaultMode: 0440
    items:
      - { key: {{ .secretKey | quote }}, path: codec-keys }
{{- end }}
{{- end }}
{{- with include "renderline.caVolume" .root }}
{{ . }}
{{- end }}
- name: tmp
  emptyDir: { sizeLimit: {{ .size }} }
{{- include "renderline.extra" (dict "root" .root "of" .of "list" "extraVolumes") }}
{{- end -}}

{{- /* Certificates of authorities that everything trusts besides the known ones; empty where there are none. */ -}}
{{- define "renderline.caVolume" -}}
{{- with .Values.ca -}}
{{- if .existingSecret -}}
- name: ca
  secret:
    secretName: {{ .existingSecret | quote }}
    defaultMode: 0440
    items:
      - { key: {{ .key | quote }}, path: ca.crt }
{{- else if .existingConfigMap -}}
- name: ca
  configMap:
    name: {{ .existingConfigMap | quote }}
    items:
      - { key: {{ .key | quote }}, path: ca.crt }
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Where pipeline files are in a container; empty where there are none. */ -}}
{{- define "renderline.pipelinesPath" -}}
{{- with .Values.pipelines -}}
{{- if or .files .existingConfigMap .existingClaim -}}
/etc/renderline/pipelines
{{- else -}}
{{ .imagePath }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Folders of pipelines and of files, for who compiles and who works. */ -}}
{{- define "renderline.folderMounts" -}}
{{- if hasPrefix "/etc/renderline" (include "renderline.pipelinesPath" .) }}
- { name: pipelines, mountPath: /etc/renderline/pipelines, readOnly: true }
{{- end }}
{{- if .Values.sharedFolder.existingClaim }}
- { name: shared-folder, mountPath: {{ .Values.sharedFolder.mountPath | quote }} }
{{- end }}
{{- end -}}

{{- define "renderline.folderVolumes" -}}
{{- if hasPrefix "/etc/renderline" (include "renderline.pipelinesPath" .) }}
- name: pipelines
{{- if .Values.pipelines.existingClaim }}
  persistentVolumeClaim: { claimName: {{ .Values.pipelines.existingClaim | quote }}, readOnly: true }
{{- else }}
  configMap: { name: {{ .Values.pipelines.existingConfigMap | default (printf "%s-pipelines" (include "renderline.name" .)) | quote }} }
{{- end }}
{{- end }}
{{- with .Values.sharedFolder.existingClaim }}
- name: shared-folder
  persistentVolumeClaim: { claimName: {{ . | quote }} }
{{- end }}
{{- end -}}

{{- /* Where a kubelet and Prometheus ask: at the address of the pod. */ -}}
{{- define "renderline.listening" -}}
- { name: RENDERLINE_HEALTH_PORT, value: "8081" }
- { name: RENDERLINE_HEALTH_HOST, value: 0.0.0.0 }
{{- if .Values.metrics.enabled }}
- { name: RENDERLINE_METRICS_PORT, value: {{ .Values.metrics.port | quote }} }
- { name: RENDERLINE_METRICS_HOST, value: 0.0.0.0 }
{{- end }}
{{- end -}}

{{- define "renderline.listeningPorts" -}}
- { name: health, containerPort: 8081 }
{{- if .Values.metrics.enabled }}
- { name: metrics, containerPort: {{ .Values.metrics.port }} }
{{- end }}
{{- end -}}

{{- /* Ready is who takes work or notifications. Ending a process that is short of CPU makes nothing better: it has two minutes. */ -}}
{{- define "renderline.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: health }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: health }
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: health }
  periodSeconds: 5
  timeoutSeconds: 3
{{- end -}}

{{- define "renderline.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "renderline.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- /* What a pod has whatever it does. */ -}}
{{- define "renderline.podCommon" -}}
serviceAccountName: {{ include "renderline.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext: {{ include "renderline.podSecurity" . | nindent 2 }}
{{- end -}}

{{- /* Refuses values that contradict each other, in words of their own. */ -}}
{{- define "renderline.checks" -}}
{{- $v := .Values -}}
{{- $deployment := include "renderline.deployment" . -}}
{{- if and $deployment (not $v.versioning.buildId) }}{{ fail "versioning.buildId is missing: the workers of an older build must keep running beside those of a newer one, so each needs its name" }}{{ end -}}
{{- if and (eq $v.versioning.controller "temporal") (or $v.versioning.deployment $v.versioning.keep) }}{{ fail "versioning.controller temporal names the deployment, and keeps older builds, by itself: leave versioning.deployment and versioning.keep out" }}{{ end -}}
{{- if and (or $v.versioning.buildId $v.versioning.keep) (not $deployment) }}{{ fail "versioning.deployment is missing: a build id counts within a Worker Deployment" }}{{ end -}}
{{- range $v.versioning.keep }}{{ if eq .buildId $v.versioning.buildId }}{{ fail (printf "versioning.keep names %s, which is versioning.buildId" .buildId) }}{{ end }}{{ end -}}
{{- range include "renderline.olderWorkers" . | fromJsonArray }}{{ if not .kept }}{{ fail (printf "the workers of build %s would be deleted, and its runs have no others. Keep them: kubectl --namespace %s annotate deployment %s helm.sh/resource-policy=keep; or delete them once the build is drained" .buildId $.Release.Namespace .name) }}{{ end }}{{ end -}}
{{- if and $v.ca.existingSecret $v.ca.existingConfigMap }}{{ fail "ca: one of existingSecret and existingConfigMap, not both" }}{{ end -}}
{{- if and $v.ca.temporal (not (include "renderline.caVolume" .)) }}{{ fail "ca.temporal needs ca.existingSecret or ca.existingConfigMap" }}{{ end -}}
{{- if and $v.encryption.keyId (not $v.encryption.existingSecret) }}{{ fail "encryption.keyId names a key of encryption.existingSecret, and that is missing" }}{{ end -}}
{{- if and $v.autoscaling.enabled (not $v.taskQueue) }}{{ fail "autoscaling needs taskQueue: KEDA asks for the backlog of a queue by its name. `renderline doctor` prints it" }}{{ end -}}
{{- if gt (int $v.autoscaling.minReplicas) (int $v.autoscaling.maxReplicas) }}{{ fail "autoscaling.minReplicas is more than autoscaling.maxReplicas" }}{{ end -}}
{{- $sources := list -}}
{{- with $v.pipelines.files }}{{ $sources = append $sources "files" }}{{ end -}}
{{- with $v.pipelines.existingConfigMap }}{{ $sources = append $sources "existingConfigMap" }}{{ end -}}
{{- with $v.pipelines.existingClaim }}{{ $sources = append $sources "existingClaim" }}{{ end -}}
{{- with $v.pipelines.imagePath }}{{ $sources = append $sources "imagePath" }}{{ end -}}
{{- if gt (len $sources) 1 }}{{ fail (printf "pipelines: one of %s, not several" (join " and " $sources)) }}{{ end -}}
{{- with $v.receiver }}
{{- if and .ingress.enabled (not .enabled) }}{{ fail "receiver.ingress needs receiver.enabled" }}{{ end -}}
{{- if and .ingress.enabled (not .ingress.host) }}{{ fail "receiver.ingress.host is missing: the name by which the platform reaches the receiver" }}{{ end -}}
{{- if and .publicUrl (not (hasSuffix .path .publicUrl)) }}{{ fail (printf "receiver.publicUrl must end in receiver.path, %s" .path) }}{{ end -}}
{{- if and .replaceWebhook (not .publicUrl) }}{{ fail "receiver.replaceWebhook says what receiver.publicUrl may do, and that is missing" }}{{ end -}}
{{- end }}
{{- range $name := keys $v.settings }}{{ if has $name (list "baseUrl" "taskQueue" "rateLimit" "temporalUi" "wakeUpsUrl") }}{{ fail (printf "settings.%s has a value of its own in this chart" $name) }}{{ end }}{{ end -}}
{{- end -}}
