#!/bin/sh
# Installs what the workspaces that are named in ./workspaces need in production into /packages.
set -eu
npm ci --omit=dev --omit=optional --include-workspace-root=false --no-audit --no-fund $(cat workspaces)
mkdir /packages
cp -a node_modules /packages/
# npm leaves a version that differs from the common one beside its only user.
find libs services cli dev -name node_modules -prune -exec sh -c 'mkdir -p "/packages/${1%/*}" && cp -a "$1" "/packages/$1"' sh {} \;
# Types and source maps are for editors.
find /packages -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete
