// The environment of helper programs that Renderline starts: paths to tools and files, but no keys.
import type { Environment } from './environment.ts';

const names: readonly string[] = [
  'PATH HOME USER LOGNAME SHELL TMPDIR TEMP TMP TZ LANG LANGUAGE SystemRoot',
  'LD_LIBRARY_PATH DYLD_LIBRARY_PATH SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS',
  'XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME',
  'GOPATH GOROOT GOBIN GOPROXY GONOPROXY GOSUMDB GONOSUMDB GOPRIVATE GOFLAGS GOINSECURE GOVCS',
  'GOCACHE GOMODCACHE GOTMPDIR GOTOOLCHAIN GOMAXPROCS',
  'JAVA_HOME JAVA_TOOL_OPTIONS MAVEN_HOME MAVEN_OPTS M2_HOME',
].flatMap((line) => line.split(' '));
/** Names of proxy variables. Programs also use them in lower case. */
const proxies: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const passedNames = new Set([...names, ...proxies, ...proxies.map((name) => name.toLowerCase())]);

/** Returns the variables that helper programs need. No other variables, and therefore no keys, are passed on. */
export function helperEnvironmentOf(env: Environment): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (passedNames.has(entry[0]) || entry[0].startsWith('LC_')),
  );
  return Object.fromEntries(entries);
}
