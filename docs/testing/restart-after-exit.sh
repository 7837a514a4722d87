#!/usr/bin/env bash
# Runs what a unit file starts and starts it again when the unit says so, where there is no systemd: restart-after-exit.sh <unit file>
# It knows WorkingDirectory, Environment, ExecStart, Restart=on-failure and RestartSec. SIGTERM stops the service, and then this.
set -uo pipefail
unit=$1
value() { sed -n "s/^$1=//p" "$unit" | tail -n 1; }

if [ "$(value Restart)" != on-failure ]; then
  echo "supervisor: expected Restart=on-failure in $unit, got Restart=$(value Restart)"
  exit 2
fi
cd "$(value WorkingDirectory)" || exit 2
while IFS= read -r assignment; do export "${assignment?}"; done < <(sed -n 's/^Environment=//p' "$unit")
read -ra command <<<"$(value ExecStart)"

is_stopping=no
trap 'is_stopping=yes; kill -TERM "$child"' TERM
while :; do
  "${command[@]}" &
  child=$!
  echo "supervisor: started $child"
  # A signal ends a wait early: the service may still be stopping.
  wait "$child"
  status=$?
  while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    status=$?
  done
  echo "supervisor: $child ended with status $status"
  if [ "$status" = 0 ] || [ "$is_stopping" = yes ]; then exit "$status"; fi
  sleep "$(value RestartSec)"
done
