// Decoration methods and inks: the values written, the number of requests, and failures before any write.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainImage } from '../../packages/sandbox/test/_library.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { planOf, told, withNodes } from '../compile/_compile.ts';
import { hasSharedData, sharedRows } from '../glb/_shared-data.ts';
import { SandboxRun } from './_sandbox-run.ts';

let run: SandboxRun;
beforeEach(async () => {
  run = await SandboxRun.start();
});
afterEach(() => run.stop());

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const red = '{ id: v, type: variant, parentIds: [ready], config: { choose: { names: [Red] } } }';
const logos = (parent: string, entries: string) =>
  `{ id: logos, type: decoration, parentIds: [${parent}], config: { logos: [${entries}] } }`;

const plan = (...nodes: string[]): Plan => planOf(withNodes(ready, ...nodes));

async function makeDecal(name = 'Acme'): Promise<string> {
  const body = { decals: [{ name, fileName: `${name}.png`, fileType: 'png' as const }] };
  const [decal] = (await run.client.createDecals({ body })).decals;
  if (decal === undefined) throw new Error('no decal was made');
  await fetch(decal.uploadUrl ?? '', {
    method: 'PUT',
    body: new Uint8Array(await plainImage()),
    headers: { 'content-type': decal.contentType ?? '' },
  });
  await run.client.confirmDecal({ params: { decalId: decal.decalId } });
  return decal.decalId;
}

/** A shirt with the variants Red and Blue; the logo is in its slot `body` on these variants. */
async function shirt(key: string, decalId: string, ...on: string[]): Promise<Asset> {
  const asset = await run.asset(key, triangleGlb(['Red', 'Blue'], key));
  const params = { modelId: asset.platformIds.modelId ?? '' };
  const { variants } = await run.client.listModelVariants({ params });
  for (const { variantId, name } of variants) {
    if (!on.includes(name ?? '')) continue;
    await run.control(`models/${params.modelId}/variants/${variantId}/decal-slots/slot-0`, {
      decalId,
    });
  }
  return asset;
}

/** Methods of the logos of a model, by variant. */
async function methodsOf({ platformIds }: Asset): Promise<Record<string, string | null>> {
  const params = { modelId: platformIds.modelId ?? '' };
  const [{ variants }, { decalSlots }] = await Promise.all([
    run.client.listModelVariants({ params }),
    run.client.listDecalSlots({ params }),
  ]);
  const [slot] = decalSlots ?? [];
  const held = slot?.['logos'] as { variantId: string; decorationMethod: string | null }[];
  const nameOf = new Map(variants.map(({ variantId, name }) => [variantId, name ?? '']));
  return Object.fromEntries(
    held.map(({ variantId, decorationMethod }) => [
      nameOf.get(variantId) ?? variantId,
      decorationMethod,
    ]),
  );
}

describe('a method', () => {
  it('a method is set only on the chosen variant, in the spelling that the list uses', async () => {
    const asset = await shirt('shirt', await makeDecal(), 'Red', 'Blue');
    const one = plan(red, logos('v', '{ slot: body, method: screen PRINT }'));
    const [settled] = await run.runPlan(one, [asset]);
    expect(settled?.failure).toBeNull();
    expect(await methodsOf(asset)).toEqual({ Red: 'Screen print', Blue: null });
  });

  it('without a chosen variant, a method is set on all variants with the logo, and is not written again', async () => {
    const asset = await shirt('shirt', await makeDecal(), 'Red', 'Blue');
    const one = plan(logos('ready', '{ slot: slot-0, method: Embroidery }'));
    await run.runPlan(one, [asset]);
    expect(await methodsOf(asset)).toEqual({ Red: 'Embroidery', Blue: 'Embroidery' });
    expect(run.requests()).toEqual({ listDecalSlots: 1, setDecorationMethod: 2 });
    await run.runPlan(one, [asset]);
    expect(run.requests()).toEqual({ listDecalSlots: 1 });
    await run.runPlan(plan(logos('ready', '{ slot: body, method: null }')), [asset]);
    expect(await methodsOf(asset)).toEqual({ Red: null, Blue: null });
  });

  it('the method of a logo is computed for each asset to which `when` applies', async () => {
    const decal = await makeDecal();
    const assets = [await shirt('team', decal, 'Red'), await shirt('plain', decal, 'Red')];
    const entry = `{ slot: body, method: "{{ asset.name == 'team' ? 'Tackle twill' : '' }}", when: 'asset.name == "team"' }`;
    const settled = await run.runPlan(plan(logos('ready', entry)), assets);
    expect(settled.map(({ failure }) => failure)).toEqual([null, null]);
    expect(await methodsOf(assets[0] as Asset)).toEqual({ Red: 'Tackle twill' });
    expect(await methodsOf(assets[1] as Asset)).toEqual({ Red: null });
  });
});

describe('inks of a logo', () => {
  it('inks of a logo on many assets are written once', async () => {
    const decal = await makeDecal();
    const assets = [];
    for (const key of ['a', 'b', 'c']) assets.push(await shirt(key, decal, 'Red'));
    const one = planOf(
      `batchSize: 1\n${withNodes(
        ready,
        logos(
          'ready',
          '{ slot: body, inks: [{ name: Navy, pantoneCode: pms 289 }, { name: White }] }',
        ),
      )}`,
    );
    const settled = await run.runPlan(one, assets);
    expect(settled.map(({ failure }) => failure)).toEqual([null, null, null]);
    expect(run.requests()).toEqual({ listDecalSlots: 3, setDecalInks: 1 });
  });

  it('a spec line for inks adds its remarks to every asset as warnings', async () => {
    const decal = await makeDecal();
    const assets = [await shirt('a', decal, 'Red'), await shirt('b', decal, 'Red')];
    const spec = '90 x 50 mm / 3 colors / PMS 186; white; TBD / dtf';
    const settled = await run.runPlan(
      plan(logos('ready', `{ slot: body, method: Embroidery, spec: "${spec}" }`)),
      assets,
    );
    expect(settled.map(({ warnings }) => warnings)).toEqual([
      [
        'logo "Acme": "TBD" could not be read as a Pantone code.',
        'logo "Acme": its spec line contains the method DTF (direct-to-film), which the platform does not store; the method set is Embroidery',
      ],
      settled[0]?.warnings,
    ]);
  });

  it.each([
    ['in one call', 10, ['a', 'b'], 0],
    ['in two calls', 1, ['b'], 1],
  ])(
    'conflicting inks for one logo %s fail and overwrite nothing',
    async (_how, size, failing, writes) => {
      const decal = await makeDecal();
      const assets = [await shirt('a', decal, 'Red'), await shirt('b', decal, 'Red')];
      const entry =
        "{ slot: body, method: Embroidery, inks: [{ pantoneCode: \"{{ asset.name == 'a' ? '186 C' : '289 C' }}\" }] }";
      const one = planOf(`batchSize: ${size}\n${withNodes(ready, logos('ready', entry))}`);
      const settled = await run.runPlan(one, assets);
      const failed = settled.filter(({ failure }) => failure?.code === 'INKS_CONFLICT');
      expect(failed.map(({ key }) => key)).toEqual(failing);
      expect(failed.at(-1)?.failure?.message).toContain(
        'this asset and asset a set different inks for the logo',
      );
      expect(run.requests()['setDecalInks'] ?? 0).toBe(writes);
      expect(run.requests()['setDecorationMethod'] ?? 0).toBe(0);
      for (const key of failing) {
        const asset = assets.find((each) => each.key === key) as Asset;
        expect(await methodsOf(asset)).toEqual({ Red: null });
      }
    },
  );

  it('conflicting inks within one asset fail only that asset', async () => {
    const decal = await makeDecal();
    const assets = [await shirt('a', decal, 'Red'), await shirt('b', decal, 'Red')];
    const ink = (code: string) => `inks: [{ pantoneCode: "${code}" }]`;
    const entries = `{ slot: body, ${ink('186 C')} }, { slot: body, when: "asset.name == 'a'", ${ink('289 C')} }`;
    const [a, b] = await run.runPlan(plan(logos('ready', entries)), assets);
    expect(a?.failure?.code).toBe('INKS_CONFLICT');
    expect(a?.failure?.message).toMatch(
      /^two entries of `logos` set different inks for the logo \S+ of this asset, the second in the slot "body"/,
    );
    expect(b?.failure).toBeNull();
    expect(run.requests()['setDecalInks']).toBe(1);
  });

  it('inks with empty text are omitted, and an invalid computed code fails only its asset', async () => {
    const [one, two] = [await makeDecal('One'), await makeDecal('Two')];
    const assets = [await shirt('a', one, 'Red'), await shirt('b', two, 'Red')];
    const entry =
      '{ slot: body, inks: [{ pantoneCode: "{{ asset.name == \'a\' ? \'186 C\' : \'reddish\' }}" }, { name: "{{ asset.folder }}", pantoneCode: "{{ asset.folder }}" }] }';
    const settled = await run.runPlan(plan(logos('ready', entry)), assets);
    const codes = Object.fromEntries(settled.map(({ key, failure }) => [key, failure?.code]));
    expect(codes).toEqual({ a: undefined, b: 'DECORATION_VALUE' });
    expect(settled.find(({ failure }) => failure)?.failure?.message).toContain(
      'the pantoneCode "reddish" is not a Pantone code; write a code such as 186 C',
    );
  });
});

describe('a slot that cannot be decorated', () => {
  it.each([
    ['bodi', 'LOGO_SLOT_NOT_FOUND', 'no slot "bodi"; did you mean "body"?'],
    ['other', 'LOGO_NOT_FOUND', 'the slot "other" holds no logo on any variant'],
  ])('the asset fails and nothing is written for the slot %s', async (slot, code, message) => {
    const asset = await shirt('shirt', await makeDecal(), 'Red');
    const one = plan(logos('ready', `{ slot: ${slot}, method: Other, inks: [{ name: White }] }`));
    const [settled] = await run.runPlan(one, [asset]);
    expect(settled?.failure).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(run.requests()).toEqual({ listDecalSlots: 1 });
  });

  it('the asset fails and nothing is written if the chosen variant has no logo', async () => {
    const asset = await shirt('shirt', await makeDecal(), 'Blue');
    const [settled] = await run.runPlan(plan(red, logos('v', '{ slot: body, method: Other }')), [
      asset,
    ]);
    expect(settled?.failure?.code).toBe('LOGO_NOT_FOUND');
  });
});

it("the run pauses if the platform's slots do not list their logos", async () => {
  const asset = await shirt('shirt', await makeDecal(), 'Red');
  const slot = { id: 'slotId', name: 'name', logos: 'decals' };
  const { fields } = run.context(null, { id: '', node: '', batch: 1, retry: null });
  const one = plan(logos('ready', '{ slot: body, method: Other }'));
  await expect(run.runPlan(one, [asset], { fields: { ...fields, slot } })).rejects.toThrow(
    'the decal slots of the platform have no readable field "decals", which should contain their list of logos; the slots have the fields ',
  );
});

describe('an invalid decoration in the pipeline file', () => {
  it.each([
    ['{ slot: body }', 'needs method, inks or spec'],
    ['{ slot: body, inks: [], spec: white }', 'must have inks or spec, not both'],
    ['{ slot: body, inks: [{ pantoneCode: reddish }] }', 'is not a Pantone code'],
    ['{ slot: body, inks: [{ hex: "#123456" }] }', 'needs a name or a pantoneCode'],
    ['{ slot: body, inks: [{ name: White, hex: white }] }', 'is not a colour in the form #RRGGBB'],
    [`{ slot: body, method: "${'x'.repeat(61)}" }`, 'is longer than 60 characters'],
  ])('the decoration %s is refused before any request', (entry, message) => {
    expect(told(withNodes(ready, logos('ready', entry))).join('\n')).toContain(message);
  });
});

interface InkLine {
  line: string;
  expect: {
    issues: readonly string[];
    inks: readonly { kind: string }[];
    location?: string;
  };
}

/** Codes of the issues of a line that the platform remarks on. */
const remarked = ['unknown-ink', 'hex-not-an-ink', 'ink-to-be-decided', 'color-count-mismatch'];

describe.skipIf(!hasSharedData)('ink lines from real orders', () => {
  it('all real ink lines are accepted, and those that need a manual check cause a warning', async () => {
    const rows = sharedRows<InkLine>('ink-lines.jsonl').filter(({ line }) => line.trim() !== '');
    const assets = [];
    for (const [index] of rows.entries()) {
      const decal = await makeDecal(`logo ${index}`);
      assets.push({ decal, asset: await shirt(`a${index}`, decal, 'Red') });
    }
    for (const [index, { line, expect: wanted }] of rows.entries()) {
      const entry = `{ slot: body, spec: ${JSON.stringify(line)} }`;
      const { asset } = assets[index] ?? {};
      const [settled] = await run.runPlan(plan(logos('ready', entry)), asset ? [asset] : []);
      expect([line, settled?.failure]).toEqual([line, null]);
      const inkWarnings = settled?.warnings.filter((one) => !one.includes('contains the method'));
      // Process inks have no Pantone code, and the platform takes a location for an ink.
      const isRemarked =
        wanted.issues.some((issue) => remarked.includes(issue)) ||
        wanted.inks.some(({ kind }) => kind === 'process') ||
        wanted.location !== undefined;
      expect([line, (inkWarnings?.length ?? 0) > 0]).toEqual([line, isRemarked]);
    }
  });
});
