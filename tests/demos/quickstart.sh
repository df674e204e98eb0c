#!/usr/bin/env bash
# Runs the quickstart's program on a folder of difficult names, kills it while
# it works, and reads its proof.
#   quickstart.sh PROGRAM
set -euo pipefail
program=$1
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
store=$folder/store.db
files=$folder/files

fail() { echo "FAILED: $*" >&2; cat "$folder/output" >&2 || true; exit 1; }

# refused CODE ARGUMENTS...
refused() {
  local code=0 wanted=$1
  shift
  "$program" "$@" >"$folder/output" 2>&1 || code=$?
  [ "$code" = "$wanted" ] || fail "$*: exit $code instead of $wanted"
}

mkdir -p "$files/deep/er"
head -c 20000000 /dev/zero >"$files/large"
: >"$files/empty"
echo text >"$files/with space"
echo text >"$files/$(printf 'two\nlines')"
echo text >"$files/$(printf 'no UTF-8 \377')"
ln -s large "$files/link"
mkfifo "$files/pipe"
for n in $(seq 1500); do echo "$n" >"$files/deep/er/$n"; done

refused 2
refused 2 enqueue "$store" "$folder/nowhere"
mkdir "$folder/nothing"
refused 2 enqueue "$folder/unused.db" "$folder/nothing"
refused 1 serve "$folder/missing.db"

"$program" enqueue "$store" "$files" >"$folder/output"
grep -q '1,505 tasks' "$folder/output" || fail "not every file is a task"
held=0
for at in 10 30 50 70; do
  "$program" serve "$store" >"$folder/output" 2>&1 &
  server=$!
  while [ "$("$program" percent "$store")" -lt "$at" ]; do
    kill -0 "$server" 2>/dev/null || break
  done
  kill -9 "$server" 2>/dev/null || fail "it ended before the kill"
  { wait "$server" || true; } 2>/dev/null
  server=
  held=$("$program" killed "$store")
  [ "$held" = 0 ] || break
done
[ "$held" -gt 0 ] || fail "no kill hit a row in work"
"$program" serve "$store" >"$folder/output" 2>&1 || fail "the second run: exit $?"
grep -q 'attempt 3 of 3 failed: .*vanishing.txt: No such file' "$folder/output" \
  || fail "the unreadable file was not retried"
"$program" report "$store" >"$folder/output" || fail "the proof fails"
grep -q 'tasks settled, a line each *1,506' "$folder/output" || fail "lines"
grep -A 2 'Dead letters' "$folder/output" | grep -q vanishing.txt \
  || fail "the dead letter is not named"
[ "$(sqlite3 "$store" "SELECT sha256 FROM digests JOIN files_seen USING (task)
      WHERE path = CAST('$files/large' AS BLOB)")" \
  = "$(sha256sum <"$files/large" | cut -d ' ' -f 1)" ] || fail "a wrong digest"
sqlite3 "$store" "DELETE FROM settlements WHERE id = 1"
refused 1 report "$store"
grep -q 'THE PROOF FAILED' "$folder/output" || fail "a lost row is not noticed"
echo "quickstart: passed, $held rows were in work at the kill"
