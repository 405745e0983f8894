#!/bin/sh
# Deletes files that no worker, receiver or command loads from a folder of installed packages. Licences and package.json
# stay.
#   leave-out.sh node_modules [linux-x64|linux-arm64]
set -eu
cd "$1"

case "${2:-linux-$(uname -m)}" in
  *x64 | *x86_64) core=x86_64-unknown-linux-gnu ;;
  *arm64 | *aarch64) core=aarch64-unknown-linux-gnu ;;
  *) echo "Temporal's core has no build for ${2:-$(uname -m)}" >&2; exit 1 ;;
esac

# Types, source maps, sources and documentation: Node reads none of them.
find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.tsx' \
  -o -name '*.md' -o -name '*.markdown' -o -name '*.tsbuildinfo' \) \
  ! -iname 'licen[cs]e*' ! -iname 'notice*' ! -iname 'copying*' -delete

# Temporal's core: keep one of its five builds, and no source.
bridge=@temporalio/core-bridge
for build in "$bridge"/releases/*; do
  [ "${build##*/}" = "$core" ] || rm -rf "$build"
done
rm -rf "$bridge/sdk-core" "$bridge/src" "$bridge/bridge-macros" "$bridge/scripts" "$bridge"/Cargo.*

# The bundler of workflows: workflows were bundled when the program was built. The SDK's worker imports `webpack` when it
# loads, and `webpack` loads its other modules only when it bundles.
rm -rf @swc/core @swc/core-* @swc/types @webassemblyjs terser caniuse-lite browserslist node-releases \
  electron-to-chromium update-browserslist-db minimizer-webpack-plugin terser-webpack-plugin
find webpack -type f ! -path 'webpack/package.json' ! -path 'webpack/LICENSE' \
  ! -path 'webpack/lib/index.js' ! -path 'webpack/lib/util/memoize.js' -delete

# Builds of packages for browsers and bundlers: Node loads other builds.
rm -rf @azure/*/dist/browser @azure/*/dist/react-native @typespec/*/dist/browser @typespec/*/dist/react-native \
  @aws-sdk/*/dist-es @aws-sdk/*/dist-types @smithy/*/dist-es @smithy/*/dist-types \
  rxjs/src rxjs/dist/bundles rxjs/dist/esm rxjs/dist/esm5 rxjs/dist/types

find . -type d -empty -delete
