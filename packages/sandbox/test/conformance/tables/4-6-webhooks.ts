import { expect } from 'vitest';
import { bodyRows, done, invalid, ok, type Table } from '../_rows.ts';
import {
  eventNames,
  NoWebhook,
  Webhook,
  WebhookEvents,
  WebhookSaved,
  WebhookSecret,
} from '../_shapes.ts';

const put = 'PUT /webhooks';
const url = 'https://example.com/hook';
const replaces = 'it would replace the only webhook of a live workspace';

export const webhooks: Table = {
  section: '4.6 webhook configuration, 2.8',
  rows: [
    ...bodyRows('url is required and is a public http(s) URL', put, invalid, [
      {},
      { url: '' },
      { url: 7 },
      { url: null },
      { url: 'nope' },
      { url: 'ftp://example.com/hook' },
      { url: 'file:///etc/passwd' },
      { events: ['model.processed'] },
    ]),
    ...bodyRows(
      'private, internal and metadata hosts are rejected',
      put,
      invalid,
      [
        'http://127.0.0.1/hook',
        'http://localhost/hook',
        'http://localhost.:8080/hook',
        'http://2130706433/hook',
        'http://0x7f.1/hook',
        'http://0.0.0.0/hook',
        'http://10.0.0.1/hook',
        'http://172.20.0.1/hook',
        'http://192.168.1.1/hook',
        'http://169.254.169.254/latest/meta-data',
        'http://metadata.google.internal/',
        'http://[::1]/hook',
        'http://[::ffff:127.0.0.1]/hook',
        'http://[fd00::1]/hook',
        'http://[fe80::1]/hook',
      ].map((address) => ({ url: address })),
    ),
    ...bodyRows('invalid event names are rejected', put, invalid, [
      { url, events: ['model.done'] },
      { url, events: ['model.processed', 'RENDER.COMPLETE'] },
      { url, events: 'model.processed' },
      { url, events: [7] },
    ]),
    ...bodyRows('enabled is a boolean, and description is a string', put, invalid, [
      { url, enabled: 'yes' },
      { url, description: 7 },
    ]),
    {
      rule: 'a workspace without a webhook returns only configured: false',
      on: {},
      check: async (p) => {
        await p.meets('@getWebhook', {}, ok(NoWebhook));
      },
    },
    {
      rule: 'PUT creates or changes the webhook, which keeps its id and secret',
      only: replaces,
      check: async (p) => {
        const body = {
          url,
          events: ['render.complete', 'job.failed'],
          enabled: true,
          description: 'Ours',
        };
        const one = await p.ok(put, WebhookSaved, body);
        expect(one).toMatchObject(body);
        const read = await p.ok('@getWebhook', Webhook);
        expect(read).toMatchObject({ configured: true, id: one.id, ...body, failureCount: 0 });
        expect(read).not.toHaveProperty('secret');
        expect(await p.ok('@getWebhookSecret', WebhookSecret)).toEqual({ secret: one.secret });
        const two = await p.ok(put, WebhookSaved, {
          url: `${url}2`,
          events: ['model.failed'],
          enabled: false,
        });
        expect(two).toMatchObject({
          id: one.id,
          secret: one.secret,
          url: `${url}2`,
          events: ['model.failed'],
          enabled: false,
        });
        await p.meets('@getWebhook', {}, ok(Webhook, { url: `${url}2`, enabled: false }));
      },
    },
    {
      rule: 'a webhook can subscribe to every event',
      send: put,
      only: replaces,
      body: { url, events: eventNames },
      is: done(WebhookSaved, { events: [...eventNames] }),
    },
    {
      rule: 'events are optional',
      send: put,
      only: replaces,
      body: { url },
      is: done(WebhookSaved, { url }),
    },
    {
      rule: 'the seven events are listed with descriptions',
      check: async (p) => {
        const { events } = await p.ok('@listWebhookEvents', WebhookEvents);
        expect(events.map(({ name }) => name).toSorted()).toEqual([...eventNames].toSorted());
      },
    },
  ],
};
