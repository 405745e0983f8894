#!/bin/sh
# Restores the databases that deploy/backup.sh has copied into FOLDER. Nothing is stopped before the copies were read
# completely, and the current databases are set aside only when the restored ones are complete.
#   deploy/restore.sh FOLDER
# COMPOSE: command to use instead of `docker compose`, with the options that the installation was started with.
set -eu

folder=$(cd "${1:?usage: deploy/restore.sh FOLDER}" && pwd)
cd "$(dirname "$0")/.."
compose=${COMPOSE:-docker compose}
databases='temporal temporal_visibility'

# Some container engines lose the exit code of the command that they ran, so its output decides.
in_postgresql() {
  said=$($compose exec -T postgresql sh -c "{ $1; } >/dev/null && echo done") || said=
  [ "$said" = done ]
}
sql() {
  { echo 'SET client_min_messages = warning;'; cat; } |
    in_postgresql "psql --username temporal --dbname postgres --quiet --set ON_ERROR_STOP=1 --file -"
}
stop() { echo "$1; the databases in use are as they were" >&2; exit 1; }

for database in $databases; do
  [ -s "$folder/$database.dump" ] || stop "$folder/$database.dump is missing or empty"
done
# PostgreSQL is needed to read the copies, even if its volume was lost.
$compose up --detach --no-build --no-deps postgresql
tries=60
until in_postgresql 'pg_isready --quiet --host 127.0.0.1 --username temporal' </dev/null; do
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] || stop 'PostgreSQL does not answer'
  sleep 2
done
for database in $databases; do
  in_postgresql 'pg_restore --file /dev/null' <"$folder/$database.dump" ||
    stop "$folder/$database.dump is not whole"
done

$compose stop worker receiver temporal-ui temporal
for database in $databases; do
  printf 'DROP DATABASE IF EXISTS %s_restored; CREATE DATABASE %s_restored;\n' "$database" "$database" | sql ||
    stop "no room was made for $database"
  in_postgresql "pg_restore --username temporal --exit-on-error --dbname ${database}_restored" <"$folder/$database.dump" ||
    stop "$database was not restored"
done
for database in $databases; do
  sql <<SQL || { echo "$database was not put in its place; it is complete in ${database}_restored" >&2; exit 1; }
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN ('$database', '${database}_before');
DROP DATABASE IF EXISTS ${database}_before;
SELECT 'ALTER DATABASE $database RENAME TO ${database}_before' FROM pg_database WHERE datname = '$database' \gexec
ALTER DATABASE ${database}_restored RENAME TO $database;
SQL
done
echo 'Temporal has its databases back; those of before are temporal_before and temporal_visibility_before.'
echo 'Bring back the records too where they were lost, and only then start: docker compose up --detach'
