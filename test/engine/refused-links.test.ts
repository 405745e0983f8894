// Download links that storage refuses. They are read again from the platform, with few requests, until one works.
import { expect, it } from 'vitest';
import { codes, useDelivery } from './_delivery.ts';
import type { Serving } from './_platform.ts';

const delivery = useDelivery();
const names = ['front', 'back'];

/** Refuses both pictures together, because a slower picture would skip a link that the other has tried. */
function refuseTogether(): Serving {
  let waiting: Parameters<Serving>[0][] = [];
  return (response) => {
    waiting.push(response);
    if (waiting.length < names.length) return;
    for (const one of waiting) one.writeHead(403).end('no');
    waiting = [];
  };
}

/**
 * Delivers two pictures of one asset, whose recorded links are refused.
 * @param refusedReads number of reads of the job whose links are refused too
 * @param differentReads later reads repeat the links of this one
 */
async function deliver(refusedReads: number, differentReads = Infinity) {
  const { platform } = delivery;
  const refuse = refuseTogether();
  const linked = (name: string, suffix: string, isRefused: boolean) => {
    const file = `${name}${suffix}.png`;
    platform.pictures.set(file, delivery.picture);
    platform.servings.set(file, isRefused ? Array<Serving>(9).fill(refuse) : []);
    return delivery.output(name, name, { url: platform.urlOf(file) });
  };
  const outputs = names.map((name) => linked(name, '', true));
  let reads = 0;
  platform.intercept = (request) => {
    if (request !== 'GET /renders/job-shoe') return undefined;
    reads = Math.min(reads + 1, differentReads);
    const renders = names
      .map((name) => linked(name, `-${reads}`, reads <= refusedReads))
      .map(({ url: filePath, ...one }) => ({ ...one, filePath }));
    const job = { jobId: 'job-shoe', status: 'COMPLETED', projectId: 'p', renders };
    return { status: 200, body: job };
  };
  const naming = '{{ key }}-{{ output }}.{{ ext }}';
  const results = await delivery.run(naming, [delivery.rendered('shoe', ...outputs)]);
  return { ends: codes(results), asked: platform.count('GET /renders/job-shoe') };
}

it.each([
  ['once', 0, 1],
  ['twice', 1, 2],
  ['five times', 4, 5],
])(
  'pictures whose links are refused %s are delivered, and all of them share each request',
  async (_, refusedReads, asked) => {
    expect(await deliver(refusedReads)).toEqual({ ends: ['done'], asked });
  },
);

it('a picture whose links are always refused fails after six attempts and five requests', async () => {
  expect(await deliver(9)).toEqual({ ends: ['OUTPUT_REFUSED'], asked: 5 });
});

it('if the platform returns the refused link again, only one more request is sent', async () => {
  expect(await deliver(9, 1)).toEqual({ ends: ['OUTPUT_REFUSED'], asked: 2 });
});
