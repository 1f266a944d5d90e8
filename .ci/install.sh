#!/usr/bin/env bash
# Brings what the tests can use and pip cannot install: a Chromium and a PostgreSQL server.
# Only what is missing is installed, with apt, as root or through sudo. Where that cannot be done,
# this says so and the tests that need it are skipped with the reason; all others still run.
set -uo pipefail

say() { echo ".ci/install.sh: $*" >&2; }

has_browser() {
  [ -n "${JUDGEKIT_CHROMIUM:-}" ] && [ -x "$JUDGEKIT_CHROMIUM" ] && return 0
  command -v chromium >/dev/null || command -v google-chrome >/dev/null
}

has_postgresql() {
  command -v initdb >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null
}

missing=()
has_browser || missing+=(chromium fonts-dejavu-core)
has_postgresql || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  say "missing: ${missing[*]}; there is no apt-get here, so the tests that need them will be skipped"
  exit 0
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
    say "missing: ${missing[*]}; neither root nor sudo without a password, so the tests that need them will be skipped"
    exit 0
  fi
  as_root=(sudo -n)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 "$@" >>"$log" 2>&1
}
say "installing ${missing[*]}"
for attempt in 1 2 3; do
  if apt update && apt install -y --no-install-recommends "${missing[@]}"; then
    break
  fi
  say "attempt $attempt of 3 failed"
  [ "$attempt" -eq 3 ] || sleep $((attempt * 5))
done

failed=0
has_browser || { say "no Chromium: the browser checks will be skipped"; failed=1; }
has_postgresql || { say "no PostgreSQL: its tests will be skipped"; failed=1; }
if [ "$failed" -eq 1 ]; then
  say "the end of apt-get's output:"
  tail -n 20 "$log" >&2
fi
exit 0
