# Sourced by scripts: says what happens, and installs packages from apt.

say() { printf '== %s\n' "$*"; }
die() { printf 'failed: %s\n' "$*" >&2; exit 1; }

# install_packages PURPOSE...: installs those packages of the list beside this
# file that are missing. Needs root, or sudo, only when one is.
install_packages() {
  local list missing=() purpose package sudo=()
  list="$(dirname "${BASH_SOURCE[0]}")/packages"
  while read -r purpose package; do
    [[ " $* " == *" $purpose "* ]] || continue
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null \
      | grep -q 'install ok installed' || missing+=("$package")
  done < <(grep -v '^#' "$list")
  [[ ${#missing[@]} -eq 0 ]] && return 0
  command -v apt-get >/dev/null \
    || die "this needs Debian 12's packages: ${missing[*]}"
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null \
      || die "run as root, or install first: apt-get install ${missing[*]}"
    sudo=(sudo)
  fi
  say "installing ${missing[*]}"
  [[ " $* " == *" server "* ]] && leave_no_cluster "${sudo[@]}"
  "${sudo[@]}" apt-get update -q >/dev/null || die "apt-get update"
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends -o Dpkg::Options::=--force-confold \
    "${missing[@]}" >/dev/null || die "apt-get install ${missing[*]}"
}

# Debian makes and starts a server of its own when the package is installed;
# the tests want none but theirs. An existing setting is left alone.
leave_no_cluster() {
  local setting=/etc/postgresql-common/createcluster.conf
  [[ -e $setting ]] && return 0
  "$@" mkdir -p "$(dirname "$setting")"
  echo 'create_main_cluster = false' | "$@" tee "$setting" >/dev/null
}
