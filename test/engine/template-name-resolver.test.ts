// A template is found by its id or name. It is never guessed, and one list per minute serves all assets.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestCounter } from '../../src/api/request-counter.ts';
import { templateFailures } from '../../src/features/templates/failures.ts';
import { TemplateNameResolver } from '../../src/features/templates/template-name-resolver.ts';
import { ScriptedPlatform } from './_platform.ts';

let platform: ScriptedPlatform;
let names: TemplateNameResolver;
let nowMs = 0;
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  platform.templates = [
    { templateId: 't1', name: 'Studio White' },
    { templateId: 't2', name: 'Hero Dark' },
    { templateId: 't3', name: 'Twice' },
    { templateId: 't4', name: 'twice' },
    { templateId: 'Hero Dark 2', name: 't1' },
    { templateId: 't5', name: 'B\u00fchne' },
    { templateId: '0F8fad5bd9cb469fa16570867728950e', name: 'Floor' },
  ];
  names = new TemplateNameResolver(platform.client, () => nowMs);
});
afterEach(() => platform.stop());

const resolve = (name: string) => names.resolve(name, new RequestCounter());

describe('resolving a template', () => {
  it.each([
    ['by id', 't2', { templateId: 't2' }],
    [
      'by a GUID that is spelled differently',
      '0f8fad5b-d9cb-469f-a165-70867728950e',
      { templateId: '0F8fad5bd9cb469fa16570867728950e' },
    ],
    ['by name', 'Hero Dark', { templateId: 't2' }],
    ['by a name that differs in case', 'studio white', { templateId: 't1' }],
    ['by a name in another Unicode form', 'Bu\u0308hne', { templateId: 't5' }],
    ['by its id if another template has the id as its name', 't1', { templateId: 't1' }],
  ])('a template is resolved %s', async (_name, asked, answer) => {
    expect(await resolve(asked)).toEqual(answer);
  });

  it('a name that two templates share is ambiguous, and the message lists their ids', async () => {
    expect(await resolve('Twice')).toEqual({
      failure: templateFailures.TEMPLATE_AMBIGUOUS,
      message: '2 templates are named "Twice"; use the id of one: t3, t4',
    });
  });

  it('a template that appears twice in the list counts once', async () => {
    platform.templates.push({ templateId: 't1', name: 'Studio White' });
    expect(await resolve('Studio White')).toEqual({ templateId: 't1' });
  });

  it('a name with an invisible difference is refused, and the message shows the difference', async () => {
    expect(await resolve('Hero\u00a0Dark')).toMatchObject({
      message: expect.stringContaining(
        'did you mean "Hero Dark"? (only an invisible character differs: U+00A0 at position 5)',
      ) as string,
    });
  });

  it('the message lists only some of the templates if there are very many', async () => {
    platform.templates = Array.from({ length: 500 }, (_, at) => ({
      templateId: `t${at}`,
      name: `Look ${at}`,
    }));
    const answer = await resolve('Hero');
    expect(answer).toMatchObject({ message: expect.stringContaining('"Look 19"') as string });
    expect(answer).not.toMatchObject({ message: expect.stringContaining('"Look 20"') as string });
  });

  it('an unknown name is refused, and the message lists the templates', async () => {
    expect(await resolve('Hero')).toMatchObject({
      failure: templateFailures.TEMPLATE_NOT_FOUND,
      message: expect.stringContaining('"Studio White", "Hero Dark"') as string,
    });
    platform.templates = [];
    nowMs += 60_000;
    expect(await resolve('Hero')).toMatchObject({
      message: expect.stringContaining('available templates: none') as string,
    });
  });
});

describe('requests for templates', () => {
  it('the list is read at most once per minute, whatever the number of names', async () => {
    await Promise.all([resolve('t1'), resolve('Hero Dark'), resolve('nobody')]);
    nowMs += 59_999;
    await resolve('t1');
    expect(platform.count('GET /templates')).toBe(1);
    nowMs += 1;
    await resolve('t1');
    expect(platform.count('GET /templates')).toBe(2);
  });

  it('the list is requested again after a failure', async () => {
    platform.intercept = () => ({
      status: 500,
      body: { error: { code: 'INTERNAL_ERROR', message: '' } },
    });
    await expect(resolve('t1')).rejects.toThrow('INTERNAL_ERROR');
    platform.intercept = () => undefined;
    expect(await resolve('t1')).toEqual({ templateId: 't1' });
  });
});
