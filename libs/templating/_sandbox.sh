#!/bin/sh
# Starts a program of this folder on Deno with no permission but to read this folder, as MJML does:
# _sandbox.sh <memory in MiB> <program> <arguments>. A service that may run Deno itself may do anything
# by way of it, so the renderer may run this file and nothing else, and all but the way back is fixed here.
PATH=/usr/local/bin:/usr/bin:/bin
here=${0%/*}
memory=$1
program=$2
shift 2
case $memory in '' | *[!0-9]*) exit 64 ;; esac
case $program in '' | -* | */*) exit 64 ;; esac
deno=$here/../../node_modules/.bin/deno
[ -x "$deno" ] || deno=deno
exec env -i DENO_NO_UPDATE_CHECK=1 \
  NODE_CHANNEL_FD="$NODE_CHANNEL_FD" \
  NODE_CHANNEL_SERIALIZATION_MODE="$NODE_CHANNEL_SERIALIZATION_MODE" \
  "$deno" run --no-prompt --no-remote --quiet --ignore-env \
  --allow-read="$here" --allow-sys=homedir --v8-flags="--max-old-space-size=$memory" \
  "$here/$program" "$@"
