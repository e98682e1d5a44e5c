#!/usr/bin/env bash
# Borrows a phone, connects to it with adb, and ends the session even if a step fails.
# Needs adb on the PATH, and PHONEBOOTH_URL and PHONEBOOTH_API_KEY if the service runs on another machine.
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

# The command prints the address as its first line when the phone is ready.
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
