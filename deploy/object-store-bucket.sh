#!/bin/sh
# Creates the bucket for models, pictures and records. Only the key OBJECT_STORE_KEY can open it. Safe to run again.
set -eu

shell() { echo "$1" | weed shell -master=object-store:9333; }

tries=30
# The tool always exits with 0, so the list of buckets decides.
until shell "s3.bucket.create -name $OBJECT_STORE_BUCKET" && shell s3.bucket.list | grep -q "^ *$OBJECT_STORE_BUCKET[[:space:]]"; do
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] || { echo "no bucket $OBJECT_STORE_BUCKET" >&2; exit 1; }
  sleep 2
done
