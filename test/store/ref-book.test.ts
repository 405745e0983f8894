// What the store concludes from platform ids, by the rules of the features.
import { describe, expect, it } from 'vitest';
import { refBook } from '../../src/capabilities/run-store.ts';
import type { Refs } from '../../src/plan/refs.ts';

const outputs = [
  { id: 'o', name: 'n', fileType: 'png', isVideo: false, isPreview: false },
] satisfies Refs['outputs'];
const notice = { id: 'i', status: 200, attempts: 1, at: '2026-01-01T00:00:00Z', about: 'x' };

/** An asset with ids of every feature. */
const full: Refs = {
  modelId: 'm',
  category: 'shoes',
  drawn: '2/0',
  templateId: 't',
  projectId: 'p',
  ownProject: true,
  jobId: 'j',
  alike: 'a',
  batchId: 'b',
  submittedAt: '2026-01-01T00:00:00Z',
  failedJob: true,
  retries: 1,
  perhapsTwice: 'perhaps twice',
  begun: true,
  madeAtMs: 1,
  missing: ['modelId'],
  colorway: { before: '' },
  variants: ['v'],
  variantName: 'Red',
  added: 'v',
  bookmark: 'front',
  sheet: { fileId: 'f' },
  notices: { told: notice },
};
const without = (...names: (keyof Refs)[]): Refs =>
  Object.fromEntries(Object.entries(full).filter(([name]) => !names.some((gone) => gone === name)));
const item: Refs = { propId: 'p', itemReady: true };

describe('refs', () => {
  it('that only count while a run works are none of a record of earlier work', () => {
    expect(refBook.lasting(full)).toEqual(
      without(
        ...(['failedJob', 'retries', 'perhapsTwice', 'begun', 'madeAtMs'] as const),
        ...(['missing', 'colorway', 'notices'] as const),
      ),
    );
  });

  it.each<[what: string, refs: Refs, isMade: boolean]>([
    ['a project', { projectId: 'p' }, true],
    ['a job', { jobId: 'j' }, true],
    ['a colorway', { colorway: { before: '' } }, true],
    ['a production file', { sheet: {} }, true],
    ['a model alone', { modelId: 'm', drawn: '1/0' }, false],
    ['an item of the library', item, false],
    ['a template', { templateId: 't' }, false],
  ])('of %s name something that was made for the asset alone: %j', (_what, refs, isMade) => {
    expect(refBook.isMade(refs)).toBe(isMade);
  });

  it.each<[what: string, refs: Refs, category: string | null, uploaded: Refs]>([
    ['its category', full, 'shoes', { modelId: 'm', category: 'shoes' }],
    ['another category', full, 'hats', {}],
    ['no category', full, null, {}],
    ['no category, and it has none', { modelId: 'm' }, null, { modelId: 'm' }],
    ['any category: an item has none', item, 'shoes', item],
    ['its category, without a model', { category: 'shoes', projectId: 'p' }, 'shoes', {}],
  ])('serve another pipeline that gives models %s', (_what, refs, category, uploaded) => {
    expect(refBook.uploadedAs(refs, category)).toEqual(uploaded);
  });

  it.each<[refs: Refs, isUploaded: boolean]>([
    [full, true],
    [item, true],
    [{ itemReady: true }, false],
    [{ projectId: 'p' }, false],
    [{}, false],
  ])('%j: the file has been uploaded: %j', (refs, isUploaded) => {
    expect(refBook.isUploaded(refs)).toBe(isUploaded);
  });

  it('of a model serve its colorways, those of a colorway its views', () => {
    expect(refBook.ofModel(full)).toEqual({ drawn: '2/0' });
    expect(refBook.ofColorway(full)).toEqual({ variants: ['v'], variantName: 'Red' });
  });

  it('of a rendered job are not waited for again', () => {
    expect(refBook.ended({ ...full, outputs })).toEqual({ ...full, outputs, batchId: '' });
    expect(refBook.ended(full)).toEqual(full);
  });

  it('of a cancelled job are dropped, of a rendered one they stay', () => {
    const gone = without('jobId', 'batchId', 'submittedAt', 'retries', 'failedJob');
    expect(refBook.afterCancel(full)).toEqual(gone);
    expect(refBook.afterCancel({ ...full, outputs })).toEqual({ ...full, outputs });
  });

  it('of files of models go with the model, and those of exports side by side stand together', () => {
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
    expect(refBook.join(before, { modelFiles: [file('m.usdz', 'two')] })).toEqual({
      modelId: 'm',
      modelFiles: [file('m.glb', 'one'), file('m.usdz', 'two')],
    });
    expect(refBook.join(before, { modelFiles: [file('m.glb', 'one', 'there')] })).toEqual({
      modelId: 'm',
      modelFiles: [file('m.glb', 'one', 'there')],
    });
    expect(refBook.join(before, { modelId: 'n', modelFiles: [file('n.glb', 'one')] })).toEqual({
      modelId: 'n',
      modelFiles: [file('n.glb', 'one')],
    });
    expect(refBook.join(before, { projectId: 'p' })).toEqual({ ...before, projectId: 'p' });
    expect(refBook.uploadedAs(before, null)).toEqual(before);
    expect(refBook.uploadedAs(before, 'shoes')).toEqual({});
  });

  it('of a model of which files were delivered say that it was ready, also without a project', () => {
    const stages = ['source', 'composition', 'render'] as const;
    expect(refBook.done({ modelId: 'm' }, stages)).toEqual([]);
    expect(refBook.done({ modelId: 'm', modelFiles: [] }, stages)).toEqual(['source']);
    expect(refBook.done({ modelId: 'm', modelFiles: [] }, ['composition'])).toEqual([]);
  });

  it('name what a cancel ends', () => {
    expect(refBook.underWay(full)).toBe('render job j');
    expect(refBook.underWay({ modelId: 'm' })).toBeNull();
  });

  it('that are reported later replace earlier ones; notices of parallel nodes are merged', () => {
    expect(
      refBook.join(
        { modelId: 'old', projectId: 'p', notices: { one: notice } },
        { modelId: 'new', notices: { two: notice } },
      ),
    ).toEqual({ modelId: 'new', projectId: 'p', notices: { one: notice, two: notice } });
    expect(refBook.join({ notices: { one: notice } }, {})).toEqual({ notices: { one: notice } });
  });
});
