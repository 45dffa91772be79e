#!/usr/bin/env bash
# MySQL's own server for the tests and the bench, because Debian has only MariaDB. Unpacks the packages of Debian unstable, with their own libc,
# into a folder that becomes a chroot. Installs nothing. Needs Debian and root (chroot).
#   scripts/mysql-server.sh prepare                  unpacks the server once; exits with 77 if no usable packages are available
#   scripts/mysql-server.sh start <port> [option …]  runs an empty server on 127.0.0.1:<port> until it is stopped
#   scripts/mysql-server.sh run <command …>          runs a command with TEST_MYSQL_URL set to its own server
# MYSQL_ROOT is the folder; default /tmp/frontdesk-mysql.
set -euo pipefail

root=${MYSQL_ROOT:-${TMPDIR:-/tmp}/frontdesk-mysql}
# Small, and fast rather than durable.
options=(--innodb-buffer-pool-size=64M --innodb-redo-log-capacity=32M --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=OFF
  --performance-schema=OFF --skip-log-bin --mysqlx=OFF --secure-file-priv=NULL --skip-name-resolve --default-time-zone=+00:00)

main() {
  [ "$(id -u)" -eq 0 ] || fail 'This needs root, for chroot.'
  case "${1:-} $#" in
    'prepare 1') prepare ;;
    'start 1' | 'run 1') usage ;;
    start\ *) prepare && start "${@:2}" ;;
    run\ *) prepare && run "${@:2}" ;;
    *) usage ;;
  esac
}

usage() {
  sed -n 's/^#   //p' "$0" >&2
  exit 2
}

fail() {
  echo "$1" >&2
  exit "${2:-1}"
}

prepare() {
  if ! [ -x "$root/usr/sbin/mysqld" ]; then
    rm -rf "$root.new" "$root.apt"
    if ! unpack "$root.new" "$root.apt" >"$root.log" 2>&1; then
      tail -5 "$root.log" >&2
      fail 'Debian unstable has no MySQL server that can be unpacked today.' 77
    fi
    mv "$root.new" "$root" && rm -rf "$root.apt"
  fi
  chroot "$root" /usr/sbin/mysqld --version >&2
}

# apt downloads as if nothing were installed, from this machine's mirror.
unpack() { # <root> <apt's files>
  local new=$1 apt=$2 mirror package
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -m1 '/debian/$') || return 1
  mkdir -p "$new"/{tmp,dev,etc,usr} "$apt"/{etc,lists,cache/archives/partial} && : >"$apt/status" || return 1
  printf '%s\n' 'Types: deb' "URIs: $mirror" 'Suites: unstable' 'Components: main' \
    'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' >"$apt/etc/unstable.sources"
  local own=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$apt/etc" -o "Dir::State::lists=$apt/lists"
    -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache")
  apt-get "${own[@]}" update || return 1
  apt-get "${own[@]}" install -y --download-only --no-install-recommends mysql-server-core || return 1
  for package in "$apt"/cache/archives/*.deb; do dpkg-deb --extract "$package" "$new" || return 1; done
  ln -s usr/lib usr/lib64 "$new" && echo 'root:x:0:0:::' >"$new/etc/passwd" || return 1
  mknod -m 666 "$new/dev/null" c 1 3 && mknod -m 666 "$new/dev/urandom" c 1 9 && chmod 1777 "$new/tmp" || return 1
  chroot "$new" /usr/sbin/mysqld --version
}

# Runs in the foreground; the caller stops it. The next start on the port deletes its data.
start() { # <port> [option …]
  local home=/servers/$1
  rm -rf "${root:?}$home" && mkdir -p "$root$home"
  printf "CREATE USER %s IDENTIFIED BY '%s';\nGRANT ALL ON *.* TO %s WITH GRANT OPTION;\n" test test test >"$root$home/init.sql"
  chroot "$root" /usr/sbin/mysqld --no-defaults --user=root --initialize-insecure "--datadir=$home/data"
  exec chroot "$root" /usr/sbin/mysqld --no-defaults --user=root "--datadir=$home/data" "--init-file=$home/init.sql" "--port=$1" \
    --bind-address=127.0.0.1 "--socket=$home/socket" "--pid-file=$home/pid" "${options[@]}" "${@:2}"
}

run() {
  port=$(node -p 'const { port } = require("net").createServer().listen(0).unref().address(); port')
  log=$(mktemp)
  start "$port" >"$log" 2>&1 &
  server=$!
  trap end_server EXIT
  until grep -q "ready for connections.* port: $port" "$log"; do
    kill -0 "$server" 2>/dev/null || fail "MySQL does not start: $(tail -5 "$log")"
    sleep 0.2
  done
  TEST_MYSQL_URL="mysql://test:test@127.0.0.1:$port/" "$@"
}

end_server() {
  kill -KILL "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  rm -rf "$log" "${root:?}/servers/$port"
}

main "$@"
