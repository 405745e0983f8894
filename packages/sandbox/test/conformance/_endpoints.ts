// Every documented operation with a request for unknown ids. The authentication and 404 rows come from this list.

export interface Endpoint {
  /** Route as documented, or `@operationId` if the path is undocumented; the ids do not exist. */
  readonly send: string;
  /** A body that is valid except for its ids. */
  readonly body?: unknown;
  /** Error code for an unknown id. Absent if the path contains no id. */
  readonly missing?: string;
}

const absentExport = { variantIds: ['{absent}'] };

const families: Readonly<Record<string, readonly Endpoint[]>> = {
  identity: [{ send: 'GET /me' }, { send: 'GET /me/usage' }],
  models: [
    { send: 'GET /models' },
    { send: 'POST /models', body: { models: [{ fileType: 'glb' }] } },
    {
      send: 'POST /models/{absent}/confirm',
      body: { fileType: 'glb' },
      missing: 'MODEL_NOT_FOUND',
    },
    { send: 'POST /models/import', body: { url: 'https://example.com/a.glb' } },
    { send: 'POST /models/status', body: { modelIds: ['{absent}'] } },
    { send: 'GET /models/{absent}/download', missing: 'MODEL_NOT_FOUND' },
    { send: 'GET /models/{absent}', missing: 'MODEL_NOT_FOUND' },
    { send: 'PATCH /models/{absent}', body: { name: 'x' }, missing: 'MODEL_NOT_FOUND' },
    { send: 'DELETE /models/{absent}', missing: 'MODEL_NOT_FOUND' },
  ],
  projects: [
    { send: 'GET /projects' },
    { send: 'POST /projects', body: { modelIds: ['{absent}'] }, missing: 'NOT_FOUND' },
    { send: 'GET /projects/{absent}', missing: 'PROJECT_NOT_FOUND' },
    { send: 'DELETE /projects/{absent}', missing: 'PROJECT_NOT_FOUND' },
  ],
  renders: [
    { send: 'GET /renders' },
    { send: 'POST /renders', body: { projectIds: ['{absent}'] } },
    { send: 'GET /renders/{absent}', missing: 'RENDER_JOB_NOT_FOUND' },
    { send: 'GET /renders/batch/{absent}' },
    { send: 'POST /renders/{absent}/cancel', missing: 'RENDER_JOB_NOT_FOUND' },
    { send: 'POST /renders/{absent}/retry', missing: 'RENDER_JOB_NOT_FOUND' },
    { send: 'GET /renders/{absent}/download' },
  ],
  templates: [{ send: 'GET /templates' }],
  webhooks: [
    { send: 'PUT /webhooks', body: { url: 'https://example.com/hook' } },
    { send: '@getWebhook' },
    { send: '@getWebhookSecret' },
    { send: '@listWebhookEvents' },
  ],
  jobs: [
    { send: 'POST /jobs', body: { models: [{ fileName: 'a.glb', fileType: 'glb' }] } },
    { send: 'POST /jobs/{absent}/confirm-uploads', missing: 'JOB_NOT_FOUND' },
    { send: 'GET /jobs/{absent}', missing: 'JOB_NOT_FOUND' },
  ],
  pipelines: [
    {
      send: '@createPipeline',
      body: { name: 'p', nodes: [{ type: 'model_ready', enabled: true }] },
    },
    { send: '@listPipelines' },
    { send: '@getPipeline {absent}' },
    { send: '@updatePipeline {absent}', body: { name: 'x' } },
    { send: '@listPipelineJobs {absent}' },
    { send: '@listConnectors' },
  ],
  colorways: [
    {
      send: '@createColorwayBatch',
      body: {
        swapRules: [{ matchText: 'body', matchMode: 'exact', materialId: '{absent}' }],
        modelScope: { type: 'all' },
      },
    },
    { send: '@getColorwayBatch {absent}' },
    { send: '@retryColorwayJob {absent} {absent}' },
  ],
  props: [
    { send: 'POST /props', body: { props: [{ fileName: 'a.glb' }] } },
    { send: 'POST /props/{absent}/confirm', missing: 'NOT_FOUND' },
    { send: 'POST /props/status', body: { propIds: ['{absent}'] } },
    { send: 'GET /props' },
    { send: 'GET /props/{absent}', missing: 'NOT_FOUND' },
    { send: 'PATCH /props/{absent}', body: { name: 'x' }, missing: 'NOT_FOUND' },
    { send: 'DELETE /props/{absent}', missing: 'NOT_FOUND' },
  ],
  decals: [
    { send: 'POST /decals', body: { decals: [{ fileName: 'a.png', fileType: 'png' }] } },
    { send: 'POST /decals/{absent}/confirm', missing: 'NOT_FOUND' },
    { send: 'POST /decals/status', body: { decalIds: ['{absent}'] } },
    { send: 'GET /decals' },
    { send: 'GET /decals/{absent}', missing: 'NOT_FOUND' },
    { send: 'PATCH /decals/{absent}', body: { name: 'x' }, missing: 'NOT_FOUND' },
    { send: 'DELETE /decals/{absent}', missing: 'NOT_FOUND' },
  ],
  materials: [
    {
      send: 'POST /materials',
      body: { name: 'm', textures: [{ channel: 'diffuse', fileType: 'png' }] },
    },
    {
      send: 'POST /materials/{absent}/confirm',
      body: { name: 'm', uploadedTypes: ['diffuse.png'], collectionId: null },
      missing: 'NOT_FOUND',
    },
    { send: 'POST /materials/status', body: { materialIds: ['{absent}'] } },
    { send: 'GET /materials' },
    { send: 'PATCH /materials/{absent}', body: { name: 'x' }, missing: 'NOT_FOUND' },
    { send: 'DELETE /materials/{absent}', missing: 'NOT_FOUND' },
  ],
  planImport: [{ send: 'POST /materials/plan-import', body: { paths: ['a_diffuse.png'] } }],
  properties: [
    { send: 'GET /properties' },
    { send: 'GET /properties/{absent}', missing: 'NOT_FOUND' },
    { send: 'POST /properties', body: { name: 'Ends with auth', type: 'TEXT' } },
    { send: 'PATCH /properties/{absent}', body: { name: 'x' }, missing: 'NOT_FOUND' },
    { send: 'DELETE /properties/{absent}', missing: 'NOT_FOUND' },
    { send: 'POST /properties/reorder', body: { ids: ['{absent}'] } },
    { send: 'POST /properties/{absent}/options', body: { label: 'x' }, missing: 'NOT_FOUND' },
    {
      send: 'PATCH /properties/{absent}/options/{absent}',
      body: { label: 'x' },
      missing: 'NOT_FOUND',
    },
    {
      send: 'POST /properties/{absent}/options/merge',
      body: { fromOptionId: '{absent}', intoOptionId: 'another' },
      missing: 'NOT_FOUND',
    },
    {
      send: 'POST /properties/{absent}/convert-tag',
      body: { tagId: '{absent}' },
      missing: 'NOT_FOUND',
    },
    { send: 'GET /assets/MODEL/{absent}/properties', missing: 'NOT_FOUND' },
    {
      send: 'POST /assets/properties',
      body: { assetType: 'MODEL', ids: ['{absent}'], unset: ['{absent}'] },
      missing: 'NOT_FOUND',
    },
    { send: 'POST /assets/search', body: { assetType: 'MODEL', properties: [] } },
  ],
  variants: [
    { send: 'GET /models/{absent}/variants' },
    { send: 'GET /models/{absent}/decal-slots' },
  ],
  production: [
    {
      send: 'POST /models/{absent}/production-files/export',
      body: absentExport,
      missing: 'NOT_FOUND',
    },
    { send: 'GET /production-file-exports/{absent}', missing: 'NOT_FOUND' },
    { send: 'GET /models/{absent}/production-file-exports', missing: 'NOT_FOUND' },
    { send: 'POST /models/{absent}/production-files', body: absentExport, missing: 'NOT_FOUND' },
    { send: 'GET /models/{absent}/production-files', missing: 'NOT_FOUND' },
    {
      send: 'POST /models/{absent}/production-files/preview',
      body: absentExport,
      missing: 'NOT_FOUND',
    },
    { send: 'GET /models/{absent}/production-views', missing: 'NOT_FOUND' },
    { send: 'POST /models/{absent}/production-views', body: absentExport, missing: 'NOT_FOUND' },
    {
      send: 'PUT /models/{absent}/variants/{absent}/decal-slots/{absent}/decoration-method',
      body: { method: 'DTF' },
      missing: 'NOT_FOUND',
    },
    { send: 'PUT /decals/{absent}/inks', body: { inks: [] }, missing: 'NOT_FOUND' },
    { send: 'PUT /decals/{absent}/pantone-codes', body: { codes: [] }, missing: 'NOT_FOUND' },
    {
      send: 'POST /materials/pantone',
      body: { name: 'Ends with auth', pantoneCode: '186 C', hex: '#C8102E' },
    },
    {
      send: 'PUT /materials/{absent}/pantone',
      body: { pantoneCode: '186 C', hex: '#C8102E' },
      missing: 'NOT_FOUND',
    },
  ],
};

const pending = ['planImport'];

export const endpoints: readonly Endpoint[] = Object.entries(families)
  .filter(([family]) => !pending.includes(family))
  .flatMap(([, all]) => all);
