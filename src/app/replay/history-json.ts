// Parses the JSON form of a history. If npm installs protobufjs twice, the SDK's own parser takes the schema and the parser
// from different copies, and then rejects every file. Here both come from the same copy.
import { createRequire } from 'node:module';

interface Schema {
  fromJson: (type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }) => unknown;
}

/** @throws Error if the JSON is not a valid history */
export function parseHistory(json: { events: unknown[] }): unknown {
  const ownRequire = createRequire(import.meta.url);
  const commonRequire = createRequire(ownRequire.resolve('@temporalio/common'));
  const protoRequire = createRequire(commonRequire.resolve('@temporalio/proto'));
  const { fromJson }: Schema = protoRequire('protobufjs/ext/protojson');
  const proto: unknown = commonRequire('@temporalio/proto');
  const { patchProtobufRoot }: { patchProtobufRoot: (root: unknown) => Root } = commonRequire(
    '@temporalio/proto/lib/patch-protobuf-root',
  );
  const type = patchProtobufRoot(proto).lookupType('temporal.api.history.v1.History');
  return fromJson(type, json, { ignoreUnknownFields: true });
}

interface Root {
  lookupType: (name: string) => unknown;
}
