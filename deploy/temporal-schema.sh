#!/bin/sh
# Creates Temporal's two databases and updates their tables to this version. Every step may run again.
set -eu

schema=${TEMPORAL_SCHEMA:-/etc/temporal/schema/postgresql/v12}

for database in temporal visibility; do
  name=temporal
  [ "$database" = temporal ] || name=temporal_visibility
  tool() {
    temporal-sql-tool --plugin "$DB" --endpoint "$POSTGRES_SEEDS" --port "$DB_PORT" \
      --user "$POSTGRES_USER" --database "$name" "$@"
  }
  tool create
  # A database that has its tables already refuses this; the update after it decides.
  tool setup-schema --version 0.0 || echo "$name has its tables"
  tool update-schema --schema-dir "$schema/$database/versioned"
done
