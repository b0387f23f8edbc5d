#!/bin/sh
# Track, decide, notify, and wait for the signed call, against a fresh service:
#
#     svc serve exec -- sh examples/ci.sh
#
# Ends with 0 where the call came and its signature was right. Needs svc, a shell and timeout (coreutils).
set -eu
deliveries=$(mktemp)
# Without a call it ends with 124 after a minute, instead of never.
timeout 60 svc webhooks listen --port 0 --count 1 --json > "$deliveries" &
listener=$!
trap 'kill "$listener" 2> /dev/null || true; rm -f "$deliveries"' EXIT
until grep -q '"ready"' "$deliveries"; do
  kill -0 "$listener" # a listener that died has said why
  sleep 0.1
done

field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
user=$(echo '{"userId": "u1", "name": "Ada", "phone": "+447700900101"}' | svc users import - --json --quiet | field hashId)
svc events send --user-id u1 --event signed_up
decision=$(svc decide --hash-id "$user" --surface home --json | field decisionId)
svc notifications trigger --hash-id "$user" --template welcome --channel whatsapp --wait
svc messages outcome "$decision" clicked

wait "$listener"
grep '"verified":true' "$deliveries"
