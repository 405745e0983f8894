import { expect } from 'vitest';
import { readyModel } from '../_core-resources.ts';
import { readyDecal } from '../_library-resources.ts';
import { exported, logoModel, sheetModel, startExport } from '../_production-resources.ts';
import { bodyRows, invalid, notFound, ok, type Row, type Table } from '../_rows.ts';
import { LogoAssignment, ProductionViews, ViewsRequested } from '../_shapes-library.ts';

const send = 'POST /models/{model}/production-views';

export const productionViews: Table = {
  section: '4.13 production views, 2.15',
  rows: [
    ...bodyRows('variantIds is a non-empty array of strings', send, invalid, [
      {},
      { variantIds: '*' },
      { variantIds: [7] },
      { variantIds: [] },
    ]),
    ...bodyRows("captureMode is 'flat' or 'lit'", send, invalid, [
      { variantIds: ['*'], captureMode: 'bright' },
      { variantIds: ['*'], captureMode: 1 },
    ]),
    {
      rule: 'an unknown variant is refused',
      send,
      body: { variantIds: ['{absent}'] },
      is: notFound,
    },
    {
      rule: 'an unknown model is refused',
      send: 'POST /models/{absent}/production-views',
      body: { variantIds: ['*'] },
      is: notFound,
    },
    {
      rule: 'a model that was never captured has no production views',
      check: async (p) => {
        const { path } = await sheetModel(p);
        await p.meets(
          `GET ${path}/production-views`,
          {},
          ok(ProductionViews, { productionViews: [] }),
        );
      },
    },
    ...(['flat', 'lit', undefined] as const).map(
      (captureMode): Row => ({
        rule: `a request is dispatched, and each capture updates capturedAt: ${captureMode ?? 'flat by default'}`,
        check: async (p) => {
          const { path, red } = await sheetModel(p);
          const body = { variantIds: [red], ...(captureMode && { captureMode }) };
          await p.meets(
            `POST ${path}/production-views`,
            { body },
            {
              status: 202,
              shape: ViewsRequested,
              like: { dispatched: true, jobId: expect.any(String) },
            },
          );
          const look = () => p.ok(`GET ${path}/production-views`, ProductionViews);
          const {
            productionViews: [view, ...others],
          } = await p.until(look, (answer) => answer.productionViews.length > 0, 10);
          expect(view).toMatchObject({
            variantId: red,
            captureMode: captureMode ?? 'flat',
            stale: false,
          });
          expect(others).toEqual([]);
          await p.advance(60);
          await p.meets(`POST ${path}/production-views`, { body }, { status: 202 });
          await p.until(
            look,
            (answer) => answer.productionViews[0]?.capturedAt !== view?.capturedAt,
            10,
          );
        },
      }),
    ),
    {
      rule: "['*'] captures all variants",
      check: async (p) => {
        const { path, red, blue } = await sheetModel(p);
        await p.meets(
          `POST ${path}/production-views`,
          { body: { variantIds: ['*'] } },
          { status: 202 },
        );
        const { productionViews: views } = await p.until(
          () => p.ok(`GET ${path}/production-views`, ProductionViews),
          (answer) => answer.productionViews.length === 2,
          10,
        );
        expect(views.map(({ variantId }) => variantId).toSorted()).toEqual([red, blue].toSorted());
      },
    },
    {
      rule: 'a request that cannot start returns dispatched: false and a reason',
      check: async (p) => {
        const modelId = await readyModel(p, 'nowhere.glb');
        await p.meets(
          `POST /models/${modelId}/production-views`,
          { body: { variantIds: ['*'] } },
          ok(ViewsRequested, { dispatched: false, reason: expect.stringMatching(/./) }),
        );
      },
    },
    {
      rule: "a view is stale after a change of the variant's logos, until an export captures it again",
      only: 'logos are set through the sandbox',
      check: async (p) => {
        const { path, modelId, red, blue, slotId } = await logoModel(p);
        await exported(p, path, [red, blue]);
        const stale = async () => {
          const { productionViews: views } = await p.ok(
            `GET ${path}/production-views`,
            ProductionViews,
          );
          return Object.fromEntries(views.map((view) => [view.variantId, view.stale]));
        };
        expect(await stale()).toEqual({ [red]: false, [blue]: false });
        await p.advance(1);
        await p.controls.logo(
          modelId,
          red,
          slotId,
          await readyDecal(p, { fileName: 'other.png', fileType: 'png' }),
        );
        expect(await stale()).toEqual({ [red]: true, [blue]: false });
        expect(await startExport(p, path, [red, blue])).toMatchObject({
          status: 'CAPTURING',
          capturingVariantIds: [red],
        });
        await p.advance(600);
        expect(await stale()).toEqual({ [red]: false, [blue]: false });
      },
    },
  ],
};

const methods = [
  'Screen print',
  'DTF (direct-to-film)',
  'Embroidery',
  'Sublimation',
  'Heat transfer',
  'Tackle twill',
  'Other',
];

export const decorationMethods: Table = {
  section: '4.13 decoration methods',
  rows: [
    {
      rule: 'a listed method gets its listed spelling, other methods are stored as written, and an empty one clears the method',
      only: 'logos are set through the sandbox',
      check: async (p) => {
        const { path, red, slotId, decalId } = await logoModel(p);
        const put = `PUT ${path}/variants/${red}/decal-slots/${slotId}/decoration-method`;
        const set = async (method: unknown) =>
          (await p.ok(put, LogoAssignment, { method })).decorationMethod;
        for (const method of methods.filter((name) => !name.startsWith('DTF'))) {
          for (const form of [method, method.toUpperCase(), method.toLowerCase()])
            expect(await set(form)).toBe(method);
        }
        expect(await set('dtf')).toMatch(/^DTF/);
        expect(await set('Laser ENGRAVING')).toBe('Laser ENGRAVING');
        expect(await set('x'.repeat(60))).toBe('x'.repeat(60));
        await p.refused(put, invalid, { body: { method: 'x'.repeat(61) } });
        await p.refused(put, invalid, { body: { method: 7 } });
        expect(await set('')).toBeNull();
        await set('Embroidery');
        expect(await set(null)).toBeNull();
        await p.meets(
          put,
          { body: { method: 'Embroidery' } },
          ok(LogoAssignment, { variantId: red, slotId, decalId, width: 12, height: 8 }),
        );
      },
    },
    {
      rule: 'the method is kept when the logo is replaced',
      only: 'logos are set through the sandbox',
      check: async (p) => {
        const { path, modelId, red, slotId } = await logoModel(p);
        const put = `PUT ${path}/variants/${red}/decal-slots/${slotId}/decoration-method`;
        await p.ok(put, LogoAssignment, { method: 'Embroidery' });
        await p.controls.logo(modelId, red, slotId, await readyDecal(p));
        const { text } = await p.meets(`GET ${path}/decal-slots`, {}, ok());
        expect(text).toContain('Embroidery');
      },
    },
    {
      rule: 'a slot without a logo on the variant, or an unknown id, is refused',
      only: 'logos are set through the sandbox',
      check: async (p) => {
        const { path, blue, red, slotId } = await logoModel(p);
        const body = { method: 'DTF' };
        const { status } = await p.send(
          `PUT ${path}/variants/${blue}/decal-slots/${slotId}/decoration-method`,
          { body },
        );
        expect([400, 404]).toContain(status);
        await p.refused(
          `PUT ${path}/variants/{absent}/decal-slots/${slotId}/decoration-method`,
          notFound,
          { body },
        );
        expect([400, 404]).toContain(
          (
            await p.send(`PUT ${path}/variants/${red}/decal-slots/nothing/decoration-method`, {
              body,
            })
          ).status,
        );
      },
    },
  ],
};
