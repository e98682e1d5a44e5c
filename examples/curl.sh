#!/usr/bin/env bash
# Borrows a phone with curl, saves its screen as a PNG, and ends the session even if a step fails.
#
#   PHONEBOOTH_URL=https://phones.example.com PHONEBOOTH_API_KEY=pb_… examples/curl.sh [screen.png]
#
# Without these variables, it uses a service on this machine with the key in its data folder.
set -euo pipefail

url=${PHONEBOOTH_URL:-http://localhost:7100}
key=${PHONEBOOTH_API_KEY:-$(cat .phonebooth/api-key)}
screenshot=${1:-screen.png}
session=''

# Passes the key through process substitution, because every user of a machine can read its command lines.
api() {
  curl --silent --show-error --fail-with-body --max-time 30 \
    --header @<(printf 'Authorization: Bearer %s\n' "$key") "$@"
}

# Like `api`, for JSON responses. Prints the response if it is an error.
ask() {
  local answer
  answer=$(api "$@") || {
    echo "$answer" >&2
    return 1
  }
  echo "$answer"
}

# Prints the first string with this name in a JSON document. This is sufficient for an example; otherwise use jq.
text() {
  local json
  json=$(cat)
  if [[ $json =~ \"$1\":\"([^\"]*)\" ]]; then echo "${BASH_REMATCH[1]}"; fi
}

disconnect() {
  if [[ -n $session ]]; then
    ask --request POST "$url/v1/sessions/$session/disconnect" >/dev/null && echo "Disconnected: $session" >&2
  fi
}
trap disconnect EXIT

device=$(ask "$url/v1/devices?status=available&page_size=1" | text id)
if [[ -z $device ]]; then
  echo 'No phone is available.' >&2
  exit 1
fi

# The idempotency key makes a retry return the same session instead of borrowing a second phone.
session=$(ask --request POST --retry 3 \
  --header 'Content-Type: application/json' --header "Idempotency-Key: example-$(date +%s)-$$-$RANDOM" \
  --data '{"duration": 5}' "$url/v1/devices/$device/connect" | text session_id)
echo "Borrowed: $device" >&2

deadline=$((SECONDS + 60))
until [[ $(ask "$url/v1/sessions/$session" | text status) == connected ]]; do
  if ((SECONDS >= deadline)); then
    echo 'The phone did not become ready within a minute.' >&2
    exit 1
  fi
  sleep 0.5
done

api --output "$screenshot" "$url/v1/sessions/$session/screenshot"
echo "$screenshot"
