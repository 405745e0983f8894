// Client calls that must not compile. Only the type checker reads this file. Its code never runs.
import type { CallOptions, Client } from '../../src/api/client.ts';
import { listPages } from '../../src/api/pages.ts';

export async function mustCompile(client: Client, options: CallOptions): Promise<void> {
  await client.getMe();
  await client.getMe({}, { priority: 'interactive' });
  await client.listModels({ query: { limit: 10 } }, options);
  await client.getModel({ params: { modelId: 'm' } });
  const created = await client.createModels({ body: { models: [{ fileType: 'glb' }] } }, options);
  created.models[0]?.modelId.toUpperCase();
  created.models[0]?.uploadUrl?.toUpperCase();
  const { location } = await client.downloadModel({ params: { modelId: 'm' } });
  location.toUpperCase();
  const { output, meta } = await client.callWithMeta('getRenderJob', { params: { jobId: 'j' } });
  output.renders?.[0]?.filePath.toUpperCase();
  meta.platformAtMs?.toFixed();
  for await (const render of listPages('listRenders', client.listRenders, { isVideo: false })) {
    render.projectId.toUpperCase();
  }
  for await (const model of listPages('listModels', client.listModels, {}))
    model.createdAt?.toUpperCase();
}

export async function mustNotCompile(client: Client): Promise<void> {
  // @ts-expect-error the path parameter is missing
  await client.getModel({});
  // @ts-expect-error an input with a required part cannot be omitted
  await client.getModel();
  // @ts-expect-error the path parameter is called modelId
  await client.getModel({ params: { id: 'm' } });
  // @ts-expect-error the body is missing
  await client.createModels({});
  // @ts-expect-error fileType is required
  await client.createModels({ body: { models: [{ name: 'shoe' }] } });
  // @ts-expect-error the operation has no body
  await client.getMe({ body: {} });
  // @ts-expect-error the operation has no such query field
  await client.listModels({ query: { page: 2 } });
  // @ts-expect-error an offset is a number
  await client.listModels({ query: { offset: '0' } });
  // @ts-expect-error there is no such operation
  await client.createModel({ body: {} });
  // @ts-expect-error imageQuality is 0, 1 or 2
  await client.createRenders({ body: { projectIds: ['p'], settings: { imageQuality: 3 } } });
  // @ts-expect-error there is no such priority
  await client.getMe({}, { priority: 'urgent' });
  // @ts-expect-error there is no such operation
  await client.callWithMeta('getRenders', {});
  // @ts-expect-error the parameters of the operation are required here too
  await client.callWithMeta('getRenderJob', {});
  const job = await client.getRenderJob({ params: { jobId: 'j' } });
  // @ts-expect-error a field that callers do not need may be absent
  job.projectId.toUpperCase();
  // @ts-expect-error the items that could not be read are counted, and nothing is written to them
  (await client.listRenders()).renders.unread = 0;
  // @ts-expect-error outputs exist only after the job is COMPLETED
  job.renders[0]?.filePath.toUpperCase();
  const redirect = await client.downloadRender({ params: { renderId: 'r' } });
  // @ts-expect-error a redirect has a location and no body
  redirect.url.toUpperCase();
  // @ts-expect-error pages need a list operation
  for await (const item of listPages('getModel', client.getModel, {})) void item;
  // @ts-expect-error pages() sets limit and offset itself
  for await (const item of listPages('listRenders', client.listRenders, { offset: 5 })) void item;
  // @ts-expect-error a search has its page in the body, so pages() cannot read it
  for await (const item of listPages('searchAssets', client.searchAssets, { assetType: 'MODEL' }))
    void item;
  // @ts-expect-error the response contains models, not items
  (await client.listModels()).items.at(0);
}

export async function mustNotCompileLibrary(client: Client): Promise<void> {
  // @ts-expect-error a decal has a decalId
  await client.getDecal({ params: { propId: 'd' } });
  // @ts-expect-error textures are required
  await client.createMaterial({ body: { name: 'Oak' } });
  const textures = [{ channel: 'ao' as const, fileType: 'png' as const }];
  // @ts-expect-error there is no such channel
  await client.createMaterial({ body: { name: 'Oak', textures } });
  // @ts-expect-error ids are a list
  await client.checkPropStatus({ body: { propIds: 'p' } });
  // @ts-expect-error the confirm of a prop has no body
  await client.confirmProp({ params: { propId: 'p' }, body: {} });
  // @ts-expect-error a collection is a name or null
  await client.updateProp({ params: { propId: 'p' }, body: { collection: 5 } });
}

export async function mustNotCompileProperties(client: Client): Promise<void> {
  // @ts-expect-error the type is required
  await client.createProperty({ body: { name: 'Season' } });
  // @ts-expect-error there is no such type
  await client.createProperty({ body: { name: 'Season', type: 'ENUM' } });
  // @ts-expect-error options are labels
  await client.createProperty({ body: { name: 'S', type: 'SELECT', options: [{ label: 'a' }] } });
  // @ts-expect-error DELETE archives, so true is not allowed
  await client.updateProperty({ params: { id: 'p' }, body: { archived: true } });
  // @ts-expect-error both path parameters are needed
  await client.updatePropertyOption({ params: { propertyId: 'p' }, body: {} });
  // @ts-expect-error there is no such asset type
  await client.searchAssets({ body: { assetType: 'SHOE' } });
  // @ts-expect-error a filter needs its property
  await client.searchAssets({ body: { assetType: 'MODEL', properties: [{ text: 'a' }] } });
  // @ts-expect-error there is no such mode
  await client.setAssetProperties({ body: { assetType: 'MODEL', ids: ['a'], mode: 'MERGE' } });
  const { properties } = await client.listProperties();
  // @ts-expect-error a definition has no value
  properties[0]?.value.toString();
}
