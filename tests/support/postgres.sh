# Sourced after say.sh: a PostgreSQL 15 of the tests' own, as an
# unprivileged user, in a throw-away directory, on a private socket and on a
# random port of 127.0.0.1 (for the tests that put a proxy in between).

postgres_directory=

postgres_bin=/usr/lib/postgresql/15/bin

# start_postgres [NAME=VALUE...]: with these settings beside the usual ones;
# sets and exports INBOX_TEST_POSTGRES_URL.
start_postgres() {
  local bin=$postgres_bin attempt port
  [[ -x $bin/postgres ]] || die "PostgreSQL 15 is not at $bin"
  postgres_directory=$(mktemp -d /tmp/inbox-postgres.XXXXXX)
  [[ $EUID -ne 0 ]] || chown postgres "$postgres_directory"
  say "starting PostgreSQL in $postgres_directory"
  as_postgres "$bin/initdb" -D "$postgres_directory/data" -U inbox -A trust \
    -E UTF8 --locale=C --no-sync >"$postgres_directory/initdb.log" 2>&1 \
    || die "initdb: $(tail -3 "$postgres_directory/initdb.log")"
  configure_postgres
  [[ $# -eq 0 ]] || printf '%s\n' "$@" >>"$postgres_directory/data/postgresql.conf"
  for attempt in 1 2 3 4 5; do
    port=$((20000 + RANDOM))
    if as_postgres "$bin/pg_ctl" -D "$postgres_directory/data" -s -w -t 60 \
      -l "$postgres_directory/log" -o "-p $port" start; then
      # For those who stop it and start it again.
      echo "port = $port" >>"$postgres_directory/data/postgresql.conf"
      as_postgres "$bin/createdb" -h "$postgres_directory" -p "$port" \
        -U inbox inbox || die "createdb"
      export INBOX_TEST_POSTGRES_URL="postgres://inbox@/inbox?host=$postgres_directory&port=$port"
      return 0
    fi
  done
  die "PostgreSQL does not start: $(tail -5 "$postgres_directory/log")"
}

configure_postgres() {
  local data=$postgres_directory/data
  # fsync off: a test server's data outlives nothing.
  cat >>"$data/postgresql.conf" <<CONF
unix_socket_directories = '$postgres_directory'
listen_addresses = '127.0.0.1'
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 100
log_min_messages = fatal
CONF
  # "locked" alone needs a password: for the tests of a refused login.
  sed -i '1i host all locked all scram-sha-256\nlocal all locked scram-sha-256' \
    "$data/pg_hba.conf"
}

# control_postgres WORD...: pg_ctl on the server that was started.
control_postgres() {
  as_postgres "$postgres_bin/pg_ctl" -D "$postgres_directory/data" -s -w -t 60 \
    -l "$postgres_directory/log" "$@"
}

as_postgres() {
  if [[ $EUID -eq 0 ]]; then
    (cd / && exec runuser -u postgres -- "$@")
  else
    "$@"
  fi
}

# stop_postgres: idempotent, and quiet when nothing was started.
stop_postgres() {
  [[ -n $postgres_directory ]] || return 0
  if [[ -e $postgres_directory/data/postmaster.pid ]]; then
    control_postgres -m immediate stop || true
  fi
  rm -rf "$postgres_directory"
  postgres_directory=
}
