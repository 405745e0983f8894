// What the store concludes from platform ids, according to the rules of the features.
import { describe, expect, it } from 'vitest';
import { idRules } from '../../src/features/run-store.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import { colorway, view } from '../plan/_cells.ts';

const outputs = [
  { id: 'o', name: 'n', fileType: 'png', isVideo: false, isPreview: false },
] satisfies PlatformIds['outputs'];
const notice = { id: 'i', status: 200, attempts: 1, at: '2026-01-01T00:00:00Z', about: 'x' };

/** An asset with ids of every feature. */
const full: PlatformIds = {
  modelId: 'm',
  category: 'shoes',
  drawn: '2/0',
  templateId: 't',
  projectId: 'p',
  ownProject: true,
  jobId: 'j',
  outputCountKey: 'a',
  batchId: 'b',
  submittedAt: '2026-01-01T00:00:00Z',
  failedJob: true,
  retries: 1,
  possibleDuplicate: 'perhaps twice',
  uploadStarted: true,
  lastCreatedAtMs: 1,
  missingIds: ['modelId'],
  colorway: { before: '' },
  variants: ['v'],
  variantName: 'Red',
  added: 'v',
  bookmark: 'front',
  sheet: { fileId: 'f' },
  notices: { told: notice },
};
const without = (...names: (keyof PlatformIds)[]): PlatformIds =>
  Object.fromEntries(Object.entries(full).filter(([name]) => !names.some((gone) => gone === name)));
const item: PlatformIds = { propId: 'p', itemReady: true };

describe('platform ids', () => {
  it('ids that matter only while a run is working are not recorded', () => {
    expect(idRules.withoutTransient(full)).toEqual(
      without(
        ...([
          'failedJob',
          'retries',
          'possibleDuplicate',
          'uploadStarted',
          'lastCreatedAtMs',
        ] as const),
        ...(['missingIds', 'colorway', 'notices'] as const),
      ),
    );
  });

  it.each<[what: string, refs: PlatformIds, isMade: boolean]>([
    ['a project', { projectId: 'p' }, true],
    ['a job', { jobId: 'j' }, true],
    ['a colorway', { colorway: { before: '' } }, true],
    ['a production file', { sheet: {} }, true],
    ['a model alone', { modelId: 'm', drawn: '1/0' }, false],
    ['an item of the library', item, false],
    ['a template', { templateId: 't' }, false],
  ])(
    'the ids of %s contain something created for the asset alone: %j',
    (_what, platformIds, isMade) => {
      expect(idRules.hasCreated(platformIds)).toBe(isMade);
    },
  );

  it.each<[what: string, refs: PlatformIds, category: string | null, uploaded: PlatformIds]>([
    ['to their category', full, 'shoes', { modelId: 'm', category: 'shoes' }],
    ['to another category', full, 'hats', {}],
    ['to no category', full, null, {}],
    ['to no category, and they have none', { modelId: 'm' }, null, { modelId: 'm' }],
    ['to any category, and the asset is a library item', item, 'shoes', item],
    [
      'to their category, and there is no model',
      { category: 'shoes', projectId: 'p' },
      'shoes',
      {},
    ],
  ])(
    'the ids that another pipeline may reuse are determined if it assigns models %s',
    (_what, platformIds, category, uploaded) => {
      expect(idRules.uploadIds(platformIds, category)).toEqual(uploaded);
    },
  );

  it.each<[refs: PlatformIds, isUploaded: boolean]>([
    [full, true],
    [item, true],
    [{ itemReady: true }, false],
    [{ projectId: 'p' }, false],
    [{}, false],
  ])('the ids %j show that the file has been uploaded: %j', (platformIds, isUploaded) => {
    expect(idRules.isUploaded(platformIds)).toBe(isUploaded);
  });

  it('ids of a model are shared by its cells, and ids of a colorway by its views', () => {
    expect(idRules.ofModel(full)).toEqual({ drawn: '2/0' });
    expect(idRules.ofPositions(full, [])).toEqual({});
    expect(idRules.ofPositions(full, [colorway('Red')])).toEqual({
      variants: ['v'],
      variantName: 'Red',
    });
    expect(idRules.ofPositions(full, [view('front')])).toEqual({});
  });

  it('ids of a rendered job are recorded without its batch', () => {
    expect(idRules.afterCompletion({ ...full, outputs })).toEqual({
      ...full,
      outputs,
      batchId: '',
    });
    expect(idRules.afterCompletion(full)).toEqual(full);
  });

  it('ids of a cancelled job are dropped, and ids of a rendered job are kept', () => {
    const gone = without('jobId', 'batchId', 'submittedAt', 'retries', 'failedJob');
    expect(idRules.afterCancel(full)).toEqual(gone);
    expect(idRules.afterCancel({ ...full, outputs })).toEqual({ ...full, outputs });
  });

  it('ids include files of a model as long as its id is the same, with the last files of each export', () => {
    const file = (output: string, delivery: string, path = output) => ({
      key: 'a',
      path,
      bytes: 1,
      sha256: 'x',
      width: 0,
      height: 0,
      output,
      delivery,
    });
    const before = { modelId: 'm', modelFiles: [file('m.glb', 'one'), file('old.glb', 'one')] };
    expect(idRules.merge(before, { modelFiles: [file('m.usdz', 'two')] })).toEqual({
      modelId: 'm',
      modelFiles: [file('m.glb', 'one'), file('m.usdz', 'two')],
    });
    expect(idRules.merge(before, { modelFiles: [file('m.glb', 'one', 'there')] })).toEqual({
      modelId: 'm',
      modelFiles: [file('m.glb', 'one', 'there')],
    });
    expect(idRules.merge(before, { modelId: 'n', modelFiles: [file('n.glb', 'one')] })).toEqual({
      modelId: 'n',
      modelFiles: [file('n.glb', 'one')],
    });
    expect(idRules.merge(before, { projectId: 'p' })).toEqual({ ...before, projectId: 'p' });
    expect(idRules.uploadIds(before, null)).toEqual(before);
    expect(idRules.uploadIds(before, 'shoes')).toEqual({});
  });

  it('ids with delivered files of a model show that the source stage is complete, even without a project', () => {
    const stages = ['source', 'composition', 'render'] as const;
    expect(idRules.completedStages({ modelId: 'm' }, stages)).toEqual([]);
    expect(idRules.completedStages({ modelId: 'm', modelFiles: [] }, stages)).toEqual(['source']);
    expect(idRules.completedStages({ modelId: 'm', modelFiles: [] }, ['composition'])).toEqual([]);
  });

  it('ids identify the work that a cancellation ends', () => {
    expect(idRules.formatWorkInProgress(full)).toBe('render job j');
    expect(idRules.formatWorkInProgress({ modelId: 'm' })).toBeNull();
  });

  it('newer ids replace earlier ones, and notices of parallel nodes are merged', () => {
    expect(
      idRules.merge(
        { modelId: 'old', projectId: 'p', notices: { one: notice } },
        { modelId: 'new', notices: { two: notice } },
      ),
    ).toEqual({ modelId: 'new', projectId: 'p', notices: { one: notice, two: notice } });
    expect(idRules.merge({ notices: { one: notice } }, {})).toEqual({ notices: { one: notice } });
  });
});
