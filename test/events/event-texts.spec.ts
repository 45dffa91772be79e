import type { DescribedEvent } from '../../src/platform/database/events/event-types';
import { describeImport, plainText } from '../../src/events/subscriptions/event-messages';
import { type DescribedDelivery, describeDelivery, reasonOfCancellation } from '../../src/deliveries/delivery-texts';
import { describeDomain } from '../../src/domains/domains.service';
import { describeMessage } from '../../src/messages/message-texts';
import { describeHandler } from '../../src/notification-handlers/notification-handlers.service';

const event = (type: string, data: Record<string, unknown> = {}): DescribedEvent => ({
  type,
  data,
  record: { type: type.split('.')[0], id: 7 },
  actor: { type: 'service' },
});

test.each<[string, Record<string, unknown>, string, string]>([
  ['coupon.created', {}, 'Coupon created', 'The coupon 7 was created.'],
  ['gift_card.updated', { changed: ['code', 'value'] }, 'Gift card updated', 'The gift card 7 was updated: code, value.'],
  ['gift_card.deleted', { name: 'Ana' }, 'Gift card deleted', 'The gift card "Ana" was deleted.'],
  ['coupon.updated', { changed: [] }, 'Coupon updated', 'The coupon 7 was updated.'],
])('plainText() describes %s %j', (type, data, title, text) => {
  expect(plainText(event(type, data))).toEqual({ title, text });
});

describe('describeDomain()', () => {
  const domain = {
    id: 7,
    is_enabled: true,
    scheme: 'https://',
    host: 'shop.example.com',
    custom_index_url: 'https://example.com/shop',
    datetime: '2026-11-21 12:00:00',
    last_datetime: '2026-11-21 12:00:00',
  } as unknown as NonNullable<Parameters<typeof describeDomain>[1]>;
  const elsewhere = [{ code: 'target_differs', detail: '' }] as Parameters<typeof describeDomain>[2];

  test.each<[string, Partial<typeof domain>, typeof elsewhere, string, string]>([
    ['created', {}, [], 'Domain created', 'shop.example.com was added. It is served once its TXT record is found in DNS.'],
    ['updated', {}, [], 'Domain changed', 'shop.example.com was changed: host, custom_index_url.'],
    ['verified', {}, [], 'Domain verified', 'shop.example.com is verified: visitors are sent to https://example.com/shop.'],
    [
      'verified',
      { is_enabled: false },
      elsewhere,
      'Domain verified',
      'shop.example.com is verified, but switched off: visitors get a 404 until it is enabled.',
    ],
    [
      'verified',
      { custom_index_url: '' },
      [],
      'Domain verified',
      'shop.example.com is verified, but has no URL to send visitors to: set custom_index_url.',
    ],
    ['verified', {}, elsewhere, 'Domain verified', "shop.example.com is verified, but doesn't point here yet: set its DNS records."],
    [
      'unverified',
      {},
      [],
      'Domain lost its proof',
      'shop.example.com no longer has the TXT record that proves its ownership. Until it is back, visitors get a 404.',
    ],
    [
      'failed',
      {},
      [],
      'Domain not verified',
      'The TXT record of shop.example.com was not found for a week. Set the record, then verify the domain again.',
    ],
  ])('describeDomain() describes domain.%s with %j %j', (verb, change, problems, title, text) => {
    const described = describeDomain(
      event(`domain.${verb}`, { changed: ['host', 'custom_index_url'] }),
      { ...domain, ...change },
      problems,
    );
    expect(described).toMatchObject({ title, text });
    expect(described?.url).toBe(verb === 'verified' ? 'https://shop.example.com' : undefined);
  });

  test('describeDomain() describes a deleted domain only for domain.deleted', () => {
    const text = 'shop.example.com was deleted: visitors get a 404.';
    expect(describeDomain(event('domain.deleted', { host: 'shop.example.com' }), null, [])).toEqual({ title: 'Domain deleted', text });
    for (const verb of ['created', 'updated', 'verified', 'failed'])
      expect(describeDomain(event(`domain.${verb}`), null, [])).toBeUndefined();
    expect(describeDomain(event('domain.moved'), domain, [])).toBeUndefined();
  });
});

test.each<[string, string, string]>([
  ['created', 'Handler created', 'Pager (webhook) was added: it gets messages from now on.'],
  ['updated', 'Handler changed', 'Pager (webhook) was changed: name, settings.'],
  ['deleted', 'Handler deleted', 'Pager was deleted: it gets no more messages.'],
])('describeHandler() describes notification_handler.%s', (verb, title, text) => {
  const data = verb === 'deleted' ? { name: 'Pager' } : { changed: ['name', 'settings'] };
  const handler = verb === 'deleted' ? null : { name: 'Pager', type: 'webhook' as const };
  expect(describeHandler(event(`notification_handler.${verb}`, data), handler)).toEqual({ title, text });
});

describe('describeDelivery()', () => {
  const attempts = (count: number, minutes: number, detail = 'The receiver answered 500.') =>
    Array.from({ length: count }, (_, index) => ({
      datetime: new Date(Date.UTC(2026, 10, 20) + index * minutes * 60_000).toISOString().slice(0, 19).replace('T', ' '),
      outcome: 'server_error',
      detail,
    }));
  const expired = { datetime: '2026-11-21 00:00:00', outcome: 'expired', detail: 'The message expired.' };
  const delivery: DescribedDelivery = {
    title: 'Backup failed',
    text: 'It failed.',
    url: 'https://example.com/log',
    handlerName: 'Pager',
    handlerType: 'webhook',
    reason: 'the message was cancelled',
    log: [],
    report: {},
  };

  test.each<[string, Partial<DescribedDelivery>, string]>([
    ['receipt', { report: { status: 'no-answer', code: null } }, 'Twilio reports on "Backup failed" by Pager (webhook): no-answer.'],
    [
      'receipt',
      { report: { status: 'failed', code: 30008 } },
      'Twilio reports on "Backup failed" by Pager (webhook): failed, error 30008.',
    ],
    ['delivered', {}, '"Backup failed" was delivered by Pager (webhook).'],
    ['failed', {}, '"Backup failed" could not be delivered by Pager (webhook).'],
    ['failed', { log: attempts(1, 0) }, '"Backup failed" could not be delivered by Pager (webhook): the receiver answered 500.'],
    [
      'failed',
      { log: attempts(2, 0) },
      '"Backup failed" could not be delivered by Pager (webhook): the receiver answered 500, twice in 1 second.',
    ],
    [
      'failed',
      { log: attempts(9, 157.5) },
      '"Backup failed" could not be delivered by Pager (webhook): the receiver answered 500, nine times in 21 hours.',
    ],
    [
      'failed',
      { log: attempts(12, 2_880) },
      '"Backup failed" could not be delivered by Pager (webhook): the receiver answered 500, 12 times in 22 days.',
    ],
    ['failed', { log: attempts(1, 0, 'TLS failed.') }, '"Backup failed" could not be delivered by Pager (webhook): TLS failed.'],
    [
      'cancelled',
      { handlerName: null },
      '"Backup failed" is no longer delivered by a deleted handler (webhook): the message was cancelled.',
    ],
    ['failed', { log: [expired] }, '"Backup failed" could not be delivered by Pager (webhook): it expired first.'],
    [
      'failed',
      { log: [...attempts(2, 1), expired] },
      '"Backup failed" could not be delivered by Pager (webhook): it expired after the receiver answered 500, twice in 1 minute.',
    ],
    ['retried', { title: '' }, '"It failed." is delivered by Pager (webhook) once more.'],
    ['delivered', { title: '', text: `${'é'.repeat(81)}\nx` }, `"${'é'.repeat(79)}…" was delivered by Pager (webhook).`],
  ])('describeDelivery() describes delivery.%s with %j', (verb, change, text) => {
    expect(describeDelivery(`delivery.${verb}`, { ...delivery, ...change })).toMatchObject({ text, url: 'https://example.com/log' });
  });

  test.each([
    [null, null, 'the handler was disabled, changed or deleted'],
    ['cancelled', 'acknowledged', 'the message was cancelled'],
    ['cancelled', null, 'the message was cancelled'],
    ['wait_ended', 'acknowledged', 'the message was acknowledged'],
    ['wait_ended', 'delivered', 'an earlier step was delivered'],
  ] as const)('the reason for an end by %s of a message until %s is that %s', (end, until, reason) => {
    expect(reasonOfCancellation(end, until)).toBe(reason);
  });

  test('describeMessage() names the message and its handlers', () => {
    const title = 'Message sent';
    expect(describeMessage(delivery, 1)).toEqual({ title, text: '"Backup failed" was sent through 1 handler.', url: delivery.url });
    expect(describeMessage({ title: '', text: 'x\ny', url: '' }, 3)).toEqual({ title, text: '"x" was sent through 3 handlers.', url: '' });
  });
});

test('describeImport() counts the records', () => {
  const text = 'Records of servicos were imported: 3 inserted, 1 updated, 0 bad.';
  expect(describeImport({ collection: 'servicos', inserted: 3, updated: 1, bad: 0 })).toEqual({ title: 'Import completed', text });
});
