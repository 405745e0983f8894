// Which views of a variant are current, and the status of an export of them.
import { describe, expect, test } from 'vitest';
import {
  captureEndedAt,
  captureState,
  findLatestViews,
  isCaptureCurrent,
} from '../../src/production/capture-state.ts';
import { exportStatus } from '../../src/production/exports.ts';
import { productionLookOf, viewCamera } from '../../src/production/view-cameras.ts';
import type { CaptureRecord, ExportRecord } from '../../src/state/production-records.ts';
import { captureRecord } from '../_records.ts';

const captured = {
  views: { front: 'a', back: 'b', left: 'c', right: 'd' },
  closeUps: {},
  placements: [],
};

describe('a capture', () => {
  test.each([
    ['without a picture', {}, ['capturing', 'capturing', 'capturing']],
    ['with a picture in time', { drawnAt: 1100, captured }, ['capturing', 'captured', 'captured']],
    ['with a picture but without views', { drawnAt: 1100 }, ['capturing', 'failed', 'failed']],
    [
      'with a failure and a preview',
      { failure: 'no light', drawnAt: 1100, preview: 'p' },
      ['capturing', 'failed', 'failed'],
    ],
  ] as const)(
    'captureState() returns the states at 1,199, 1,200 and 9,999 ms: %s',
    (_title, facts, states) => {
      const capture = captureRecord(facts);
      expect([1199, 1200, 9999].map((now) => captureState(capture, now))).toEqual(states);
    },
  );

  test.each([
    [undefined, 1200],
    [1100, 1200],
    [1500, 1500],
  ])('the capture drawn at %s ends at %d', (drawnAt, at) => {
    expect(captureEndedAt(captureRecord(drawnAt === undefined ? {} : { drawnAt }))).toBe(at);
  });
});

describe('the views of a variant', () => {
  const taken = (id: string, patch: Partial<CaptureRecord> = {}) =>
    captureRecord({ id, drawnAt: 1100, captured, ...patch });

  test.each<[string, CaptureRecord[], string | undefined]>([
    ['none', [], undefined],
    ['one of another variant', [taken('c1', { variantId: 'v2' })], undefined],
    ['one that is still running', [captureRecord()], undefined],
    ['a failed one', [captureRecord({ drawnAt: 1100 })], undefined],
    ['one', [taken('c1')], 'c1'],
    ['two, of which the last one to end counts', [taken('c1', { endAt: 1300 }), taken('c2')], 'c1'],
    [
      'two that ended together, of which the later one to start counts',
      [taken('c1'), taken('c2')],
      'c2',
    ],
    ['one that ended, before a failed one', [taken('c1'), captureRecord({ drawnAt: 1300 })], 'c1'],
    [
      'one that ended, before one that is still running',
      [taken('c1'), taken('c2', { endAt: 2000 })],
      'c1',
    ],
    [
      'one that was drawn late, and so ended last',
      [taken('c1', { drawnAt: 1390 }), taken('c2', { endAt: 1350 })],
      'c1',
    ],
  ])('the views of a variant are those of the last capture: %s', (_title, captures, id) => {
    expect(findLatestViews(captures, 'v1', 1400)?.id).toBe(id);
  });

  test.each([
    ['are current if the variant is unchanged and the mode is the same', 'as it was', 'flat', true],
    ['are not current if the variant has changed', 'otherwise', 'flat', false],
    ['are not current in the other mode', 'as it was', 'lit', false],
  ] as const)('the views of a variant %s', (_title, wear, mode, current) => {
    expect(isCaptureCurrent(taken('c1'), wear, mode)).toBe(current);
    expect(isCaptureCurrent(undefined, wear, mode)).toBe(false);
  });
});

describe('an export', () => {
  const record: ExportRecord = {
    id: 'e1',
    modelId: 'm1',
    variantIds: ['v1'],
    options: {
      captureMode: 'flat',
      recaptureAll: false,
      includeSideViews: true,
      includeDetailPages: true,
    },
    createdAt: 0,
    captureIds: ['c1'],
  };
  test.each([
    ['that has not ended is CAPTURING', {}, 'CAPTURING'],
    ['with a file is READY', { fileId: 'f1', endedAt: 1 }, 'READY'],
    ['that was refused is FAILED', { failure: 'no project', endedAt: 1 }, 'FAILED'],
  ] as const)('an export %s', (_title, facts, status) => {
    expect(exportStatus({ ...record, ...facts })).toBe(status);
  });
});

describe('cameras', () => {
  test.each([
    ['front', 0, 0],
    ['back', 180, 0],
    ['left', 90, 0],
    ['right', -90, 0],
    ['above', 0, 90],
    ['below', 0, -90],
  ] as const)(
    'the camera for the side %s looks from yaw %d, pitch %d',
    (side, yawDegrees, pitchDegrees) => {
      expect(viewCamera(side)).toMatchObject({ name: side, yawDegrees, pitchDegrees });
    },
  );

  test('a flat view shows material colours without light, and a lit view does not', () => {
    expect([productionLookOf('flat').flat, productionLookOf('lit').flat]).toEqual([
      true,
      undefined,
    ]);
  });
});
