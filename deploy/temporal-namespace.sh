#!/bin/sh
# Creates the namespace of runs, which keeps runs for 30 days after their end, and the search attributes for their list.
# Safe to run again.
set -eu

# A starting server and a new namespace need some seconds.
patiently() {
  tries=60
  until "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || { echo "gave up: $*" >&2; exit 1; }
    sleep 2
  done
}

patiently temporal operator cluster health

temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d

attribute() {
  patiently temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$1" --type "$2"
}
attribute RenderlinePipeline Keyword
attribute RenderlineOutcome Keyword
attribute RenderlineLateness Keyword
attribute RenderlineFailedKeys KeywordList
attribute RenderlineFailedModels KeywordList
attribute RenderlineColorways KeywordList
