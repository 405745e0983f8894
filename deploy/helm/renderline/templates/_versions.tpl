{{- /* Versions of workers: which there are, what they are called, and what outlives their release. */ -}}

{{- /* The versions of workers that this release describes: its own, and older ones that `keep` names. */ -}}
{{- define "renderline.versions" -}}
{{- $replicas := .Values.worker.replicas -}}
{{- $versions := list (dict "buildId" .Values.versioning.buildId "tag" "" "digest" "" "replicas" $replicas) -}}
{{- range .Values.versioning.keep -}}
{{- $own := ternary .replicas $replicas (hasKey . "replicas") -}}
{{- $versions = append $versions (dict "buildId" .buildId "tag" .tag "digest" .digest "replicas" $own) -}}
{{- end -}}
{{- toJson $versions -}}
{{- end -}}

{{- /*
Builds whose workers there are: those of this release, then those that upgrades have left in the cluster. `helm template`
sees no cluster, and GitOps that renders with it has the former alone. Where Temporal's controller has them, one without a name
stands for all.
*/ -}}
{{- define "renderline.builds" -}}
{{- if eq .Values.versioning.controller "temporal" -}}
{{- list "" | toJson -}}
{{- else -}}
{{- $builds := list -}}
{{- range include "renderline.versions" . | fromJsonArray }}{{ $builds = append $builds .buildId }}{{ end -}}
{{- range include "renderline.olderWorkers" . | fromJsonArray }}{{ $builds = append $builds .buildId }}{{ end -}}
{{- $builds | uniq | toJson -}}
{{- end -}}
{{- end -}}

{{- /* Deployments in the cluster of builds of this release that values do not name. */ -}}
{{- define "renderline.olderWorkers" -}}
{{- $named := list -}}
{{- range include "renderline.versions" . | fromJsonArray }}{{ $named = append $named .buildId }}{{ end -}}
{{- $selector := include "renderline.selector" . | fromYaml -}}
{{- $older := list -}}
{{- range (lookup "apps/v1" "Deployment" .Release.Namespace "").items -}}
{{- $of := .spec.selector.matchLabels | default dict -}}
{{- $buildId := index $of "renderline/build-id" -}}
{{- $isOurs := and $buildId (eq (toJson $selector) (toJson (pick $of "app.kubernetes.io/name" "app.kubernetes.io/instance"))) -}}
{{- if and $isOurs (not (has $buildId $named)) -}}
{{- $policy := dig "annotations" "helm.sh/resource-policy" "" .metadata -}}
{{- $older = append $older (dict "name" .metadata.name "buildId" $buildId "kept" (eq $policy "keep")) -}}
{{- end -}}
{{- end -}}
{{- toJson $older -}}
{{- end -}}

{{- /* Name of the workers of a build: the same build keeps its name when it is no longer the current one. */ -}}
{{- define "renderline.workerName" -}}
{{- $name := printf "%s-worker" (include "renderline.name" .root) -}}
{{- $plain := regexReplaceAll "[^a-z0-9]+" (lower .buildId) "-" | trimAll "-" -}}
{{- if not .buildId -}}
{{ $name }}
{{- else if and (eq $plain .buildId) (le (len $plain) 15) -}}
{{ printf "%s-%s" $name $plain }}
{{- else -}}
{{ printf "%s-%s-%s" $name ($plain | trunc 8 | trimSuffix "-") (sha256sum .buildId | trunc 6) }}
{{- end -}}
{{- end -}}

{{- /* Labels by which the workers of one version are found. */ -}}
{{- define "renderline.workerSelector" -}}
{{ include "renderline.selector" .root }}
app.kubernetes.io/component: worker
{{- if .buildId }}
renderline/build-id: {{ .buildId | quote }}
{{- end }}
{{- end -}}

{{- /* Name of Temporal's Worker Deployment; empty: workers have no versions. Temporal's controller makes it from those of the object. */ -}}
{{- define "renderline.deployment" -}}
{{- if eq .Values.versioning.controller "temporal" -}}
{{ .Release.Namespace }}/{{ include "renderline.workerName" (dict "root" . "buildId" "") }}
{{- else -}}
{{ .Values.versioning.deployment }}
{{- end -}}
{{- end -}}

{{- /* What build a process is of, for who works and who applies. */ -}}
{{- define "renderline.version" -}}
{{- if .buildId }}
- { name: RENDERLINE_DEPLOYMENT, value: {{ include "renderline.deployment" .root | quote }} }
- { name: RENDERLINE_BUILD_ID, value: {{ .buildId | quote }} }
{{- end }}
{{- end -}}

{{- /* Runs end on the build that began them, so no upgrade, rollback or uninstall deletes what its workers need. */ -}}
{{- define "renderline.kept" -}}
helm.sh/resource-policy: keep
argocd.argoproj.io/sync-options: Prune=false
{{- end -}}

{{- /* Labels of what belongs to the workers of one version. */ -}}
{{- define "renderline.workerLabels" -}}
{{ include "renderline.labels" .root }}
app.kubernetes.io/component: worker
{{- if .buildId }}
renderline/build-id: {{ .buildId | quote }}
{{- end }}
{{- end -}}
