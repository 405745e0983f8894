#!/bin/sh
# Takes out of a folder of installed packages what no worker, receiver or command loads. Licences and package.json stay.
#   leave-out.sh node_modules [linux-x64|linux-arm64]
set -eu
cd "$1"

case "${2:-linux-$(uname -m)}" in
  *x64 | *x86_64) core=x86_64-unknown-linux-gnu ;;
  *arm64 | *aarch64) core=aarch64-unknown-linux-gnu ;;
  *) echo "Temporal's core has no build for ${2:-$(uname -m)}" >&2; exit 1 ;;
esac

# Types, maps, sources and pages: Node reads none of them.
find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.tsx' \
  -o -name '*.md' -o -name '*.markdown' -o -name '*.tsbuildinfo' \) \
  ! -iname 'licen[cs]e*' ! -iname 'notice*' ! -iname 'copying*' -delete

# Temporal's core: of its five builds one, and not what it is built from.
bridge=@temporalio/core-bridge
for build in "$bridge"/releases/*; do
  [ "${build##*/}" = "$core" ] || rm -rf "$build"
done
rm -rf "$bridge/sdk-core" "$bridge/src" "$bridge/bridge-macros" "$bridge/scripts" "$bridge"/Cargo.*

# The bundler of workflows: they were bundled when the program was built. `webpack` itself is named by the SDK's worker
# when it loads, and loads nothing more of its own until it bundles.
rm -rf @swc/core @swc/core-* @swc/types @webassemblyjs terser caniuse-lite browserslist node-releases \
  electron-to-chromium update-browserslist-db minimizer-webpack-plugin terser-webpack-plugin
find webpack -type f ! -path 'webpack/package.json' ! -path 'webpack/LICENSE' \
  ! -path 'webpack/lib/index.js' ! -path 'webpack/lib/util/memoize.js' -delete

# Forms of packages for browsers and bundlers; Node loads the others.
rm -rf @azure/*/dist/browser @azure/*/dist/react-native @typespec/*/dist/browser @typespec/*/dist/react-native \
  @aws-sdk/*/dist-es @aws-sdk/*/dist-types @smithy/*/dist-es @smithy/*/dist-types \
  rxjs/src rxjs/dist/bundles rxjs/dist/esm rxjs/dist/esm5 rxjs/dist/types

find . -type d -empty -delete
