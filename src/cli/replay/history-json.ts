// Parses the JSON form of a history. If npm installs protobufjs twice, the SDK's own parser takes the schema and the parser
// from different copies, and then rejects every file. Here both come from the same copy.
import { createRequire } from 'node:module';

interface Schema {
  fromJson: (type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }) => unknown;
}

/** @throws Error if the JSON is not a valid history */
export function historyOfJson(json: { events: unknown[] }): unknown {
  const ours = createRequire(import.meta.url);
  const ofCommon = createRequire(ours.resolve('@temporalio/common'));
  const ofProto = createRequire(ofCommon.resolve('@temporalio/proto'));
  const { fromJson }: Schema = ofProto('protobufjs/ext/protojson');
  const proto: unknown = ofCommon('@temporalio/proto');
  const { patchProtobufRoot }: { patchProtobufRoot: (root: unknown) => Root } = ofCommon(
    '@temporalio/proto/lib/patch-protobuf-root',
  );
  const type = patchProtobufRoot(proto).lookupType('temporal.api.history.v1.History');
  return fromJson(type, json, { ignoreUnknownFields: true });
}

interface Root {
  lookupType: (name: string) => unknown;
}
