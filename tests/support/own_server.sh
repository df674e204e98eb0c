#!/bin/bash
# A PostgreSQL of one test's own, which the test may stop.
#   own_server.sh create OWNER [NAME=VALUE...]   prints its directory and URL
#   own_server.sh control DIRECTORY WORD...      pg_ctl: -m fast restart
#   own_server.sh remove DIRECTORY
# The server goes when the process OWNER ends, however that ends.
set -euo pipefail
folder=$(dirname "${BASH_SOURCE[0]}")
source "$folder/say.sh"
source "$folder/postgres.sh"

watch() {
  tail --pid="$1" -f /dev/null
  stop_postgres
}

command=$1
shift
case $command in
  create)
    owner=$1
    shift
    trap stop_postgres EXIT
    start_postgres "$@" >&2
    watch "$owner" </dev/null >/dev/null 2>&1 &
    trap - EXIT
    echo "$postgres_directory $INBOX_TEST_POSTGRES_URL"
    ;;
  control)
    postgres_directory=$1
    shift
    # The server that starts keeps none of the caller's files open.
    control_postgres "$@" </dev/null >/dev/null
    ;;
  remove)
    postgres_directory=$1
    stop_postgres
    ;;
  *) die "no command $command" ;;
esac
