// Creates records on the platform, many per request, then uploads each file to its signed link and confirms it
// separately. Models, props and decals can all be created in this way.
import type { OperationId } from '../../api/operations/index.ts';
import { idFields, type ResourceKind } from '../../api/resources.ts';
import { toPlainText } from '../../api/responses/plain-text.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { fail } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import type { NodeContext } from '../node-context.ts';
import type { BodyOf, Creation, ResponseTo } from '../submit/creation.ts';
import { findPossibleDuplicates } from '../submit/find-possible-duplicates.ts';
import { splitCall } from '../submit/split-call.ts';
import { type SubmitResult, submitOnce } from '../submit/submit-once.ts';
import { readLiveResponse, readUploadedFiles } from './live-response.ts';
import {
  deleteUnusedRecords,
  sortByUploadStatus,
  type UploadStatus,
  uploadEach,
} from './record-group.ts';
import { isFileUploaded, uploadFile } from './upload-file.ts';
import type {
  RecordGroup,
  RecordWriter,
  RenewalOptions,
  UploadResult,
} from './upload-into-records.ts';

/** The part of an upload that depends on the kind of record. */
export interface RecordSpec<A extends StepAsset, Id extends OperationId> {
  kind: ResourceKind;
  creation: Creation<Id>;
  connector: string;
  /** Failure for a record that the platform did not create. */
  missingFailure: KnownFailure;
  /** Returns the body of the creating request, with one item per asset. */
  bodyOf(assets: readonly A[]): BodyOf<Id>;
  /** Returns links by record id, and errors of records that were not created. */
  linksIn(response: ResponseTo<Id>): {
    links: ReadonlyMap<string, Link>;
    errors?: readonly string[] | undefined;
  };
  /** Reads the upload status, by id, of records that an earlier attempt created. */
  readUploadStatuses(ids: readonly string[]): Promise<ReadonlyMap<string, UploadStatus>>;
  confirm(asset: A, platformIds: PlatformIds): Promise<AssetResult>;
}

/** Signed upload address of a record's file. */
export interface Link {
  uploadUrl?: string | undefined;
  /** Set for decals, because their storage requires exactly this content type. */
  contentType?: string | undefined;
}

export function createRecordWriter<A extends StepAsset, Id extends OperationId>(
  spec: RecordSpec<A, Id>,
  context: NodeContext,
): RecordWriter<A, Id> {
  return {
    creation: spec.creation,
    create: (assets, renewal) => createRecords(assets, spec, renewal, context),
    upload: (group, refusedKeys) => uploadGroup(group, spec, refusedKeys, context),
  };
}

async function createRecords<A extends StepAsset, Id extends OperationId>(
  assets: readonly A[],
  spec: RecordSpec<A, Id>,
  renewal: RenewalOptions,
  context: NodeContext,
): Promise<{ groups: RecordGroup<A, Id>[]; results: AssetResult[] }> {
  const groups: RecordGroup<A, Id>[] = [];
  const results = await splitCall(
    assets,
    async (part) => {
      const { kind, creation } = spec;
      const work = { body: spec.bodyOf(part), assets: part, purpose: `${kind}s` };
      const call = await submitOnce({ creation, ...work, ...renewal }, context);
      groups.push({ call, assets: [...part] });
      return [];
    },
    context,
  );
  return { groups, results };
}

async function uploadGroup<A extends StepAsset, Id extends OperationId>(
  group: RecordGroup<A, Id>,
  spec: RecordSpec<A, Id>,
  refusedKeys: ReadonlySet<string>,
  context: NodeContext,
): Promise<UploadResult<A>> {
  const { call } = group;
  const { kind, creation, connector } = spec;
  const idOf = ({ key }: StepAsset) => call.platformIds[key]?.[idFields[kind]];
  const assets = group.assets.filter((asset) => idOf(asset) !== undefined);
  const uncreated = group.assets.filter(
    (asset) => idOf(asset) === undefined && !refusedKeys.has(asset.key),
  );
  const statuses = await readStatusesByAsset({ call, assets }, spec);
  const groups = await sortByUploadStatus({ call, assets }, kind, statuses, refusedKeys, context);
  const uploadedFiles = await readUploadedFiles(call, context);
  const progressOf = (asset: A) => ({ id: idOf(asset) ?? '', uploadedFiles });
  const assetsToUpload = groups.open.filter(
    (asset) => !isFileUploaded(asset, progressOf(asset), context),
  );
  const needsResponse = assetsToUpload.length > 0 || uncreated.length > 0;
  const response = needsResponse ? await readLiveResponse(creation, call, context) : null;
  const { links, errors } = response === null ? noLinks : spec.linksIn(response);
  const uploads = await uploadEach(
    groups.open,
    async (asset) => {
      const confirm = () => spec.confirm(asset, call.platformIds[asset.key] ?? {});
      if (!assetsToUpload.includes(asset)) return confirm();
      const link = links.get(idOf(asset) ?? '');
      if (link === undefined) return 'no-link';
      const { uploadUrl: url, contentType } = link;
      if (url === undefined) return failNotCreated(asset.key, spec.missingFailure, missingAddress);
      const target = { url, connectorName: connector, contentType };
      return (await uploadFile(asset, target, progressOf(asset), context)) ?? confirm();
    },
    context,
  );
  await deleteUnusedRecords(kind, call.platformIds, uploads, context);
  const uncreatedResults = await failUncreated(uncreated, call, errors, spec, context);
  return {
    results: [...groups.results, ...uploads.results, ...uncreatedResults],
    withoutUpload: [...groups.withoutUpload, ...uploads.withoutUpload],
  };
}

/** Links and errors to use if the response is not needed or its links have expired. */
const noLinks: ReturnType<RecordSpec<StepAsset, OperationId>['linksIn']> = { links: new Map() };

/** Reads upload statuses by asset key. Empty if the response has just arrived, because all records are then new. */
async function readStatusesByAsset<A extends StepAsset, Id extends OperationId>(
  { call, assets }: RecordGroup<A, Id>,
  spec: RecordSpec<A, Id>,
): Promise<Map<string, UploadStatus>> {
  if (call.response !== null || assets.length === 0) return new Map();
  const idOf = ({ key }: A) => call.platformIds[key]?.[idFields[spec.kind]] ?? '';
  const statuses = await spec.readUploadStatuses(assets.map(idOf));
  const statusOf = (asset: A): UploadStatus => statuses.get(idOf(asset)) ?? { state: 'missing' };
  return new Map(assets.map((asset) => [asset.key, statusOf(asset)]));
}

/** Fails assets without a record. Passes on id conflicts. Without a reason, a record may exist whose link is lost. */
async function failUncreated<A extends StepAsset, Id extends OperationId>(
  assets: readonly A[],
  { intent, platformIds }: SubmitResult<Id>,
  errors: readonly string[] | undefined,
  { creation, missingFailure }: RecordSpec<A, Id>,
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  const possibleDuplicates =
    errors === undefined
      ? await findPossibleDuplicates(intent, creation, platformIds, context)
      : null;
  return assets.map(({ key }) => {
    const idConflict = platformIds[key]?.idConflict;
    if (idConflict !== undefined) return { key, outcome: 'done', platformIds: { idConflict } };
    const duplicates = possibleDuplicates?.get(key)?.join(' and ');
    const note = duplicates ? `; ${duplicates} with the same name may remain on the platform` : '';
    return failNotCreated(key, missingFailure, errors?.join('; '), note);
  });
}

/** Message for an object that the platform created without an upload URL. */
export const missingAddress = 'the platform returned no upload address';

/** Creates the failure for a record that the platform did not create, with the platform's reason if there is one. */
export function failNotCreated(
  key: string,
  failure: KnownFailure,
  reason = '',
  explanation = '',
): AssetResult {
  const reasonText =
    toPlainText(reason) || 'the platform created no record for this asset and gave no reason';
  return fail(failure, key, `${reasonText}${explanation}`);
}
