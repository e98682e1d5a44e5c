#!/usr/bin/env bash
# Borrows a phone, reaches it by adb, and gives it back whatever happens.
# Needs adb on the PATH, and PHONEBOOTH_URL and PHONEBOOTH_API_KEY where the service is on another machine.
set -euo pipefail
phonebooth=${PHONEBOOTH:-npx phonebooth}

session=$($phonebooth connect --minutes 10 "$@" | head -n 1)
lines=$(mktemp)
cleanup() {
  kill "${tunnel:-}" 2>/dev/null || true
  $phonebooth disconnect --session "$session"
  rm -f "$lines"
}
trap cleanup EXIT

# The first line that it prints is the address, when the phone is ready.
$phonebooth adb "$session" --json >"$lines" &
tunnel=$!
until [ -s "$lines" ]; do
  kill -0 "$tunnel" || exit 1
  sleep 0.1
done
serial=$(sed -n 's/.*"address":"\([^"]*\)".*/\1/p' "$lines")

adb connect "$serial"
adb -s "$serial" wait-for-device
adb -s "$serial" shell getprop ro.product.model
