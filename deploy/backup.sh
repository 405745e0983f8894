#!/bin/sh
# Copies the two Temporal databases of docker-compose.yml into FOLDER, which is created only when both copies are
# complete. Runs may continue during the backup.
#   deploy/backup.sh FOLDER
# COMPOSE: command to use instead of `docker compose`, with the options that the installation was started with.
set -eu
umask 077

folder=${1:?usage: deploy/backup.sh FOLDER}
case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
[ ! -e "$folder" ] || { echo "$folder is there already; name a new folder" >&2; exit 1; }
cd "$(dirname "$0")/.."
compose=${COMPOSE:-docker compose}

part=$folder.part
trap 'rm -rf "$part"' EXIT
rm -rf "$part"
mkdir -p "$part"
for database in temporal temporal_visibility; do
  copy=$part/$database.dump
  $compose exec -T postgresql pg_dump --username temporal --format custom "$database" </dev/null >"$copy" || true
  # The whole copy is read: one that is empty or cut ends with an error, whatever became of the command above.
  read=$($compose exec -T postgresql sh -c 'pg_restore --file /dev/null && echo whole' <"$copy") || read=
  [ "$read" = whole ] || { echo "the copy of $database is not whole; nothing was written" >&2; exit 1; }
done
mv "$part" "$folder"
echo "$folder has both databases. Now copy the records and pictures: docs/how-to/backup.md"
