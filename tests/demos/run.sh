#!/usr/bin/env bash
# Runs each demo as its reader would and looks at its table afterwards.
#   run.sh FOLDER_OF_PROGRAMS FOLDER_OF_SOURCES
set -euo pipefail
programs=$1
sources=$2
folder=$(mktemp -d)
running=
trap '[ -z "$running" ] || kill -9 "$running" 2>/dev/null || true; rm -rf "$folder"' EXIT
db=$folder/shop.db

fail() {
  echo "FAILED: $*" >&2
  cat "$folder/output" >&2 || true
  exit 1
}

# ask SQL: its answer. Waits for the service's writes.
ask() {
  sqlite3 -cmd ".timeout 5000" "$db" "$1"
}

fresh() {
  rm -f "$db"*
  sqlite3 "$db" <"$sources/01_first_queue.sql"
}

start() {
  "$programs/$1" "$db" >"$folder/output" 2>&1 &
  running=$!
}

# Waits up to 20 s until the SQL answers what is expected.
until_answer() {
  for _ in $(seq 200); do
    [ "$(ask "$1")" != "$2" ] || return 0
    sleep 0.1
  done
  fail "$1 answers $(ask "$1") instead of $2"
}

# A first signal drains, and the program ends by itself with 0.
drain() {
  kill -TERM "$running"
  local code=0
  wait "$running" || code=$?
  running=
  [ "$code" = 0 ] || fail "exit $code after SIGTERM"
}

fresh
start 01_first_queue
until_answer "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM mail_jobs)" "1|0"
drain
grep -q 'to "ada@example.org", attempt 1' "$folder/output" || fail "no mail sent"
echo "01_first_queue: passed"

fresh
ask "INSERT INTO mail_jobs (queue, body) VALUES
  ('mails', '{\"to\": \"ada@example.org\"}'), ('mails', '{\"to\": \"\"}'),
  ('mails', '{\"to\": \"x@slow.example\"}'), ('mails', 'no JSON')"
start 02_retries
until_answer "SELECT group_concat(job, ' ') FROM
  (SELECT id || queue AS job FROM mail_jobs ORDER BY id)" "3mails.dead 4mails"
drain
grep -q 'sent to ada@example.org' "$folder/output" || fail "no mail sent"
[ "$(ask "SELECT due > datetime('now', '+9 minutes') FROM mail_jobs WHERE id = 4")" = 1 ] \
  || fail "the row that does not decode is not due later"
echo "02_retries: passed"

fresh
ask "INSERT INTO mail_jobs (queue, body) VALUES ('mails', 'to the actor')"
"$programs/03_actor_handler" "$db" >"$folder/output" 2>&1 || fail "exit $?"
grep -q 'mails 1: to the actor' "$folder/output" || fail "the actor got nothing"
[ "$(ask "SELECT count(*) FROM mail_jobs")" = 0 ] || fail "a row is left"
echo "03_actor_handler: passed"

fresh
ask "INSERT INTO mail_jobs (queue, body) VALUES
  ('mails', '{\"to\": \"ada@example.org\"}'), ('mails', 'no JSON'),
  ('mails', '{\"to\": \"busy@example.org\"}')"
start 04_batches
until_answer "SELECT group_concat(id) FROM mail_jobs" "3"
drain
grep -q 'a connection for 2 mails' "$folder/output" || fail "no batch of two"
echo "04_batches: passed"

fresh
"$programs/05_enqueue" "$db" >"$folder/output" 2>&1 || fail "exit $?"
[ "$(ask "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM mail_jobs)")" = "2|0" ] \
  || fail "orders or mails are missing"
[ "$(grep '^to ' "$folder/output" | sort | tr '\n' ' ')" = \
  'to "ada@example.org" to "bob@example.org" to "eve@example.org" ' ] \
  || fail "other mails were sent"
echo "05_enqueue: passed"
