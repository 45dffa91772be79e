import { Webhook } from 'standardwebhooks';
import { webhookSignature } from '../../../src/deliveries/channels/webhook.channel';
import { NOW, requestOf } from '../../support/outgoing';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OLDER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

test('the signature is that of the published vector', () => {
  const signature = webhookSignature([SECRET], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}');
  expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('the standardwebhooks package verifies a request with each of its secrets', () => {
  jest.useFakeTimers({ now: NOW });
  try {
    const { headers, body } = requestOf('webhook', { text: 'Ünïcödé 💈' }, { signingSecrets: [OLDER, SECRET] });
    for (const secret of [OLDER, SECRET]) expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({ type: 'message' });
    expect(() => new Webhook(OLDER).verify(`${body} `, { ...headers })).toThrow('No matching signature');
    expect(() => new Webhook(SECRET).verify(body, { ...headers, 'webhook-id': 'msg_8' })).toThrow('No matching signature');
  } finally {
    jest.useRealTimers();
  }
});

test('every secret signs, in the order given', () => {
  const signatures = requestOf('webhook', {}, { signingSecrets: [OLDER, SECRET] }).headers['webhook-signature'].split(' ');
  const single = (secret: string) => requestOf('webhook', {}, { signingSecrets: [secret] }).headers['webhook-signature'];
  expect(signatures).toEqual([single(OLDER), single(SECRET)]);
});

test('the body has five keys of data, the message’s time and ids as numbers', () => {
  expect(requestOf('webhook')).toMatchObject({
    url: 'https://hooks.example.com/1',
    isTrusted: false,
    needsNewConnection: false,
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_5f0c1e9ab27d_7', 'webhook-timestamp': '1795263403' },
    body:
      '{"type":"message","timestamp":"2026-11-20T23:59:58Z","data":{"message_id":3,"delivery_id":7,"title":"Closed on Monday",' +
      '"text":"The shop is closed.\\nSee you on Tuesday.","url":"https://example.com/hours?day=1&week=2"}}',
  });
});

test('empty texts are empty strings, and a test has no ids', () => {
  const { body, headers } = requestOf('webhook', { messageId: null, deliveryId: null, webhookId: 'msg_test_x1', title: '', url: '' });
  expect(headers['webhook-id']).toBe('msg_test_x1');
  expect(JSON.parse(body)).toMatchObject({ data: { message_id: null, delivery_id: null, title: '', url: '' } });
});

test('a later attempt has the same id and the same bytes, another timestamp and signature', () => {
  const [first, later] = [NOW, NOW + 30_000].map((now) => requestOf('webhook', {}, { now }));
  expect(later.body).toBe(first.body);
  expect(later.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(Number(later.headers['webhook-timestamp'])).toBe(Number(first.headers['webhook-timestamp']) + 30);
  expect(later.headers['webhook-signature']).not.toBe(first.headers['webhook-signature']);
});

test('the longest message is sent whole', () => {
  const text = '💈'.repeat(4_000);
  expect(JSON.parse(requestOf('webhook', { text }).body)).toMatchObject({ data: { text } });
});
