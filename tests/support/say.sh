# Sourced by scripts: says what happens.

say() { printf '== %s\n' "$*"; }
die() { printf 'failed: %s\n' "$*" >&2; exit 1; }
