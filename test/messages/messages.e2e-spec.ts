/** @mysql whole */
import { PUBLIC_URL, type TestAccount, TestApplication, useApplication } from '../support/http/application';
import { idOf, untilServed } from '../support/http/client';
import { holdClock } from '../support/jest/clock';
import { onMysql } from '../support/servers/database';
import { auditOf, createWebhook, type DeliveryBody, idsOf, pageOf, readMessage } from '../support/areas/deliveries';
import { expectErrors, withoutRequestId } from '../support/http/errors';
import { receiver } from '../support/servers/receiver';
import { DELIVERIES, DOMAINS, HANDLERS, MESSAGES } from '../support/areas/records';

/** Sends no deliveries, so that they stay pending. */
const { application, database } = useApplication({ DELIVERY_CONCURRENCY: '0' });
let account: TestAccount;
let handler: number;

beforeAll(async () => {
  account = await application().createAccount();
  handler = await createWebhook(account, receiver.url());
});

const TEXT = 'The backup failed.';
const sendJson = (body: object, { client } = account) => client.send('POST', MESSAGES).send(body);
const storedText = async (id: number) => (await readMessage(account, id)).text;
const deliveriesOf = async (id: number, of = account) => (await pageOf<DeliveryBody>(of, `${DELIVERIES}?message_id=${id}`)).data;

describe('POST and GET /api/messages', () => {
  test('a message is created with a Location and read with its fields in order', async () => {
    const url = 'https://status.example.com/backups';
    const created = await account.client.post(MESSAGES, { text: TEXT, title: 'Backup', url }).expect(201);
    const id = idOf(created);
    expect(created.text).toBe(JSON.stringify({ data: { id } }));
    expect(created.headers.location).toBe(`${PUBLIC_URL}/api/messages/${id}`);
    const read = await account.client.get(`${MESSAGES}/${id}`).expect(200);
    const { datetime } = (read.body as { data: { datetime: string } }).data;
    expect(datetime).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const deliveries = { pending: 1, delivered: 0, failed: 0, cancelled: 0 };
    const wait = { send_at: null, expires_at: null, until: null, acknowledged: null };
    const record = { id, title: 'Backup', text: TEXT, url, deliveries, ...wait, repeats: 0, datetime };
    expect(read.text).toBe(JSON.stringify({ data: record }));
    expect((await pageOf(account, MESSAGES)).data).toContainEqual(record);
  });

  test('a message requires only a text, as JSON or form', async () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const id = idOf(await account.client.send('POST', MESSAGES).type(type).send({ text: TEXT }).expect(201));
      const { body } = await account.client.get(`${MESSAGES}/${id}`);
      expect(body).toMatchObject({ data: { title: '', text: TEXT, url: '' } });
    }
  });

  test('the ETag of a message changes with its deliveries', async () => {
    const path = `${MESSAGES}/${await account.client.create(MESSAGES, { text: TEXT })}`;
    const { etag } = (await account.client.get(path)).headers as { etag: string };
    const unchanged = await account.client.get(path).set('If-None-Match', etag).expect(304);
    expect([unchanged.headers.etag, unchanged.text]).toEqual([etag, '']);
    await application().dataSource.query("UPDATE deliveries SET status = 'failed' WHERE handler_id = ?", [handler]);
    await account.client.get(path).set('If-None-Match', etag).expect(200);
  });

  test('handler_ids may be a JSON array of integers', async () => {
    const send = (handler_ids: unknown) => account.client.send('POST', MESSAGES).send({ text: 'To a list.', handler_ids });
    const { body } = await send([handler]).expect(201);
    expect((await deliveriesOf((body as { data: { id: number } }).data.id)).map(({ handler_id }) => handler_id)).toEqual([handler]);
    const source = 'form.handler_ids';
    const many = Array.from({ length: 100 }, (_, index) => 2_000_000_000 + index); // more than the allowed number of fields
    for (const ids of [[], [handler, handler], [...many, handler], many, [-1], [2 ** 31]])
      expectErrors(await send(ids), { code: 'invalid_parameter', source, detail: /1 to 100 ids/ });
    for (const ids of [['1'], ['1', '2'], [1.5], [null], [[1]], [2 ** 53], [true]])
      expectErrors(await send(ids), { code: 'invalid_parameter', source, detail: /array of integers/ });
  });

  test('a message is audited without its text', async () => {
    const texts = { text: 'A secret text.', title: 'A secret title', url: 'https://secret.example.com' };
    const created = await account.client.post(MESSAGES, texts).set('X-Request-Id', 'said').expect(201);
    const entries = (await auditOf(application(), account, 'message')).filter(({ record_id }) => record_id === idOf(created));
    expect(entries).toEqual([expect.objectContaining({ action: 'create', key_id: account.keyId, request_id: 'said' })]);
    expect(JSON.stringify(await application().audited())).not.toMatch(/secret/);
  });

  test('messages require messages:write and messages:read', async () => {
    const [writer, reader, other] = await Promise.all(
      [['messages:write'], ['messages:read'], ['notification-handlers:write', 'secrets:read']].map((scopes) =>
        application().createKey(account.id, { scopes } as { scopes: ['messages:write'] }),
      ),
    );
    const id = await writer.client.create(MESSAGES, { text: TEXT });
    await reader.client.get(`${MESSAGES}/${id}`).expect(200);
    await reader.client.get(DELIVERIES).expect(200);
    for (const { client } of [reader, other]) {
      const refused = await client.post(MESSAGES, { text: TEXT });
      expectErrors(refused, { code: 'insufficient_scope', source: 'header.Authorization' });
      expect(refused.headers['www-authenticate']).toContain('error="insufficient_scope", scope="messages:write"');
    }
    for (const { client } of [writer, other])
      expectErrors(await client.get(MESSAGES), { code: 'insufficient_scope', source: 'header.Authorization' });
  });

  test('a process with DELIVERY_CONCURRENCY=0 sends only tests', async () => {
    await account.client.create(MESSAGES, { text: TEXT });
    await account.client.post(`${HANDLERS}/${handler}/test`).expect(200);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([expect.stringMatching(/^msg_test_/)]);
  });
});

describe('?text= search', () => {
  const find = async (text: string, of = account) =>
    (await pageOf<{ id: number }>(of, `${MESSAGES}?${new URLSearchParams({ text, sort: 'desc' }).toString()}`)).data.map(({ id }) => id);

  test('a search matches title or text of the account’s messages, ignoring case and accents', async () => {
    const other = await application().createAccount();
    await createWebhook(other, receiver.url());
    await other.client.create(MESSAGES, { text: 'Cópia de segurança' });
    const titled = await account.client.create(MESSAGES, { title: 'CÓPIA de segurança', text: '100% \'done\' in C:\\tmp_1\n"Straße"' });
    const untitled = await account.client.create(MESSAGES, { text: 'A copia acabou.' });
    expect(await find('Copia')).toEqual([untitled, titled]);
    for (const text of ['pia de seguranca', '100% ', "'DONE'", '\\tmp_1', '"strasse"']) expect(await find(text)).toEqual([titled]);
    for (const text of ['seguranca100', 'seguranca 100', 'C:/tmp', 'tmp%1', '1 "']) expect(await find(text)).toEqual([]);
  });

  test('a search finds the end of a text whose folded form is three times as long', async () => {
    const [long, title] = ['\u{1d160}'.repeat(3_999), '\u{1d160}'.repeat(200)];
    const id = idOf(await sendJson({ title, text: `${long}Ẑ` }).expect(201));
    expect(await find('\u{1d160}z')).toEqual([id]);
  });
});

describe('message fields', () => {
  test.each([
    ['line feeds and tabs, storing CR LF and CR as LF', 'a\r\nb\rc\n\td', 'a\nb\nc\n\td'],
    ['surrounding white space, which is trimmed', ' \n around \t\r\n', 'around'],
    ['markup and all of Unicode', '<b>&amp;</b> 日本語 😀 a\u2028b', '<b>&amp;</b> 日本語 😀 a\u2028b'],
    ['4,000 characters of two UTF-16 units each', '😀'.repeat(4_000), '😀'.repeat(4_000)],
    ['4,000 characters after CR LF became LF', `${'x\r\n'.repeat(1_999)}xy`, `${'x\n'.repeat(1_999)}xy`],
  ])('accepts a text with %s', async (_, text, stored) => {
    const ids = [await account.client.create(MESSAGES, { text }), idOf(await sendJson({ text }).expect(201))];
    for (const id of ids) expect(await storedText(id)).toBe(stored);
  });

  test.each([
    ...['\0', '\x1b', '\x7f', '\x85'].map((character) => [`the character ${JSON.stringify(character)}`, `a${character}b`]),
    ['4,001 characters of two UTF-16 units each', '😀'.repeat(4_001)],
  ])('rejects a text with %s', async (_, text) => {
    const refused = { code: 'invalid_parameter', source: 'form.text', detail: /^text must be 1 to 4000 characters/ } as const;
    expectErrors(await account.client.send('POST', MESSAGES).type('form').send({ text }), refused);
    expectErrors(await sendJson({ text }), refused);
  });

  test.each(['\\ud800', 'a\\udc00b'])('rejects the lone surrogate %s', async (escaped) => {
    for (const name of ['text', 'title', 'url']) {
      const body = `{${name === 'text' ? '' : '"text":"x",'}"${name}":"${escaped}"}`;
      const answer = await account.client.send('POST', MESSAGES).type('application/json').send(body);
      expectErrors(answer, { code: 'invalid_parameter', source: `form.${name}` });
    }
  });

  test.each([{}, { text: '' }, { text: ' \n ' }])('rejects a message without text: %j', async (fields) => {
    expectErrors(await sendJson({ ...fields }), { code: 'missing_parameter', source: 'form.text' });
  });

  test.each<[name: string, value: string, isAccepted: boolean]>([
    ['title', '😀'.repeat(200), true],
    ['title', '', true],
    ['title', '😀'.repeat(201), false],
    ['title', 'two\nlines', false],
    ['title', 'a\ttab', false],
    ['url', '', true],
    ['url', 'http://example.com/?a=1&b=2#c', true],
    ['url', 'ftp://example.com/', false],
    ['url', 'javascript:alert(1)', false],
    ['url', 'https://user:password@example.com/', false],
    ['url', `https://example.com/${'x'.repeat(2_029)}`, false],
  ])('accepts or rejects a %s as documented (%#)', async (name, value, isAccepted) => {
    const answer = await sendJson({ text: TEXT, [name]: value });
    if (isAccepted) expect(answer.status).toBe(201);
    else expectErrors(answer, { code: 'invalid_parameter', source: `form.${name}` });
  });

  test('messages accept values up to 16 KiB and bodies up to 64 KiB, unlike other routes', async () => {
    const tooLong = { code: 'payload_too_large' } as const;
    for (const type of ['form', 'application/json']) {
      const send = (path: string, fields: object) => account.client.send('POST', path).type(type).send(fields);
      expectErrors(await send(MESSAGES, { text: 'x'.repeat(16 * 1024) }), { code: 'invalid_parameter', source: 'form.text' });
      expectErrors(await send(MESSAGES, { text: 'x'.repeat(16 * 1024 + 1) }), tooLong);
      expectErrors(await send(DOMAINS, { host: 'x'.repeat(8 * 1024 + 1) }), tooLong);
      expectErrors(await send(MESSAGES, { text: 'x'.repeat(64 * 1024) }), tooLong);
    }
    expectErrors(await account.client.post(MESSAGES, { text: 'x'.repeat(16 * 1024 + 1) }), tooLong);
  });

  test('all invalid fields of a message are reported in one response', async () => {
    expectErrors(
      await sendJson({ title: 'x'.repeat(201), url: 'x', handler_ids: '', id: 1 }),
      { code: 'unknown_parameter', source: 'form.id' },
      { code: 'missing_parameter', source: 'form.text' },
      { code: 'invalid_parameter', source: 'form.title' },
      { code: 'invalid_parameter', source: 'form.url' },
      { code: 'invalid_parameter', source: 'form.handler_ids' },
    );
  });
});

describe('handler_ids', () => {
  let other: TestAccount;
  let own: number[];
  let disabled: number;

  beforeAll(async () => {
    other = await application().createAccount();
    own = [await createWebhook(other, receiver.url()), await other.client.create(HANDLERS, { name: 'Mail', type: 'email' })];
    disabled = await createWebhook(other, receiver.url());
    await other.client.post(`${HANDLERS}/${disabled}`, { is_enabled: '0' }).expect(200);
  });

  const recipientsOf = async (id: number) =>
    (await deliveriesOf(id, other)).map(({ handler_id, type, status }) => [handler_id, type, status]);

  test('selects the handlers that get the message', async () => {
    const id = await other.client.create(MESSAGES, { text: TEXT, handler_ids: `${own[1]},${own[0]}` });
    expect(await recipientsOf(id)).toEqual([
      [own[0], 'webhook', 'pending'],
      [own[1], 'email', 'pending'],
    ]);
    const one = idOf(await sendJson({ text: TEXT, handler_ids: own[1] }, other).expect(201));
    expect(await recipientsOf(one)).toEqual([[own[1], 'email', 'pending']]);
  });

  describe.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=b'])('handler_ids repeated in %s', (type) => {
    const part = ([name, value]: [string, unknown]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`;
    const send = (fields: [string, unknown][]) => {
      const body = type.startsWith('multipart')
        ? `${fields.map(part).join('')}--b--\r\n`
        : new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)])).toString();
      return other.client.send('POST', MESSAGES).type(type).serialize(String).send(body);
    };
    const sendIds = (ids: unknown[]) => send([['text', TEXT], ...ids.map((id): [string, unknown] => ['handler_ids', id])]);

    test('selects the handlers that get the message', async () => {
      for (const ids of [own, [own[1], ` ${own[0]}\u200b`]]) {
        const recipients = await recipientsOf(idOf(await sendIds(ids).expect(201)));
        expect(recipients.map(([id]) => id)).toEqual(own);
      }
    });

    test('any invalid handler_ids get the same 400', async () => {
      const source = 'form.handler_ids';
      for (const ids of [
        [own[0], own[0]],
        [own[0], disabled],
        [own[0], ''],
        [own[0], 'x'],
        ['', ''],
      ])
        expectErrors(await sendIds(ids), { code: 'invalid_parameter', source, detail: /1 to 100 ids/ });
    });

    test('errors in other fields are not attributed to handler_ids', async () => {
      const ids = own.map((id): [string, unknown] => ['handler_ids', id]);
      const detail = 'text must be a single value, neither repeated nor an array.';
      expectErrors(await send([...ids, ['text', 'a'], ['text', 'b']]), { code: 'invalid_parameter', source: 'form.text', detail });
      for (const name of ['colour', 'toString'])
        expectErrors(await send([...ids, ['text', TEXT], [name, '1']]), { code: 'unknown_parameter', source: `form.${name}` });
    });
  });

  test('without handler_ids, all enabled handlers get the message', async () => {
    const id = await other.client.create(MESSAGES, { text: TEXT });
    expect((await recipientsOf(id)).map(([handlerId]) => handlerId)).toEqual(own);
  });

  test('any invalid handler_ids get the same 400, and nothing is written', async () => {
    const deleted = await createWebhook(other, receiver.url());
    await other.client.delete(`${HANDLERS}/${deleted}`).expect(200);
    const before = await application().dump();
    const ids = [disabled, deleted, handler, 999_999, '0', '-1', '1e1', 'x', '9'.repeat(16), '9'.repeat(30), ''];
    const [first, second] = own;
    const lists = [`${first},${first}`, `${first},0${first}`, `${first}, ${second}`, `${first},`, `,${first}`, `${first};${second}`];
    const tooMany = Array.from({ length: 101 }, (_, at) => first + at).join(',');
    const texts = new Set<string>();
    for (const handler_ids of [...ids, ...ids.map((id) => `${first},${id}`), ...lists, tooMany].map(String)) {
      const answer = await other.client.post(MESSAGES, { text: TEXT, handler_ids });
      expectErrors(answer, { code: 'invalid_parameter', source: 'form.handler_ids' });
      texts.add(withoutRequestId(answer));
    }
    for (const handler_ids of [[first, disabled], {}, null, 1.5, true]) {
      expectErrors(await sendJson({ text: TEXT, handler_ids }, other), { code: 'invalid_parameter', source: 'form.handler_ids' });
    }
    expect([...texts]).toHaveLength(1);
    expect(await application().dump()).toEqual(before);
  });

  test('rejects a message when the account has no enabled handler', async () => {
    const empty = await application().createAccount();
    const refused = { code: 'invalid_parameter', source: 'form.handler_ids' } as const;
    expectErrors(await empty.client.post(MESSAGES, { text: TEXT }), refused);
    const only = await createWebhook(empty, receiver.url());
    await empty.client.post(`${HANDLERS}/${only}`, { is_enabled: 'false' }).expect(200);
    expectErrors(await empty.client.post(MESSAGES, { text: TEXT }), refused);
  });

  test('a message without handler_ids goes to at most 1,000 handlers', async () => {
    const large = await application().createAccount();
    await large.client.create(HANDLERS, { name: 'Mail', type: 'email' });
    const columns = 'account_id, name, type, settings, is_enabled, datetime';
    const copy = (count: number) =>
      application().dataSource.query(
        `INSERT INTO notification_handlers (${columns}) SELECT ${columns} FROM notification_handlers WHERE account_id = ? LIMIT ${count}`,
        [large.id],
      );
    for (let count = 1; count < 1_000; count *= 2) await copy(Math.min(count, 1_000 - count));
    const id = await large.client.create(MESSAGES, { text: TEXT });
    expect((await pageOf(large, `${DELIVERIES}?message_id=${id}`)).meta.total).toBe(1_000);
    await copy(1);
    expectErrors(await large.client.post(MESSAGES, { text: TEXT }), { code: 'invalid_parameter', source: 'form.handler_ids' });
    const named = (await idsOf(large, `${HANDLERS}?results_per_page=100`)).join(',');
    expect((await deliveriesOf(await large.client.create(MESSAGES, { text: TEXT, handler_ids: named }), large)).length).toBe(25);
  });
});

describe('dedup_key', () => {
  let owner: TestAccount;
  beforeEach(async () => {
    owner = await application().createAccount();
    await createWebhook(owner, receiver.url());
  });

  const send = (fields: Record<string, string>, { client }: Pick<TestAccount, 'client'> = owner) =>
    client.post(MESSAGES, { text: 'Down.', ...fields });

  test('a second message with a dedup_key is only counted in repeats', async () => {
    const first = await send({ dedup_key: 'disk' }).expect(201);
    const second = await send({ dedup_key: 'disk', text: 'Still down.' }).expect(200);
    expect(second.text).toBe(JSON.stringify({ data: { id: idOf(first) } }));
    expect(second.headers).not.toHaveProperty('location');
    await send({ dedup_key: 'disk' }).expect(200);
    expect((await readMessage(owner, idOf(first))).repeats).toBe(2);
    expect(await idsOf(owner, MESSAGES)).toEqual([idOf(first)]);
    expect(await idsOf(owner, `${DELIVERIES}?message_id=${idOf(first)}`)).toHaveLength(1);
  });

  test('a dedup_key expires dedup_seconds after the first message, 300 by default', async () => {
    const clock = holdClock(application());
    const [short, long] = [await send({ dedup_key: 'a', dedup_seconds: '60' }), await send({ dedup_key: 'b' })].map(idOf);
    clock.move(59_999);
    expect(idOf(await send({ dedup_key: 'a', dedup_seconds: '86400' }).expect(200))).toBe(short);
    clock.move(1);
    expect(idOf(await send({ dedup_key: 'a' }).expect(201))).not.toBe(short);
    clock.move(239_999);
    expect(idOf(await send({ dedup_key: 'b' }).expect(200))).toBe(long);
    clock.move(1);
    await send({ dedup_key: 'b' }).expect(201);
  });

  test('dedup_key is case-sensitive and per account', async () => {
    const other = await application().createAccount();
    await createWebhook(other, 'https://hooks.example.com/');
    await send({ dedup_key: 'Disk' }).expect(201);
    await send({ dedup_key: 'disk' }).expect(201);
    await send({ dedup_key: 'Disk' }, other).expect(201);
  });

  test('a repeated dedup_key needs no enabled handler', async () => {
    const first = idOf(await send({ dedup_key: 'gone' }).expect(201));
    const [gone] = await idsOf(owner, HANDLERS);
    await owner.client.delete(`${HANDLERS}/${gone}`).expect(200);
    expect(idOf(await send({ dedup_key: 'gone' }).expect(200))).toBe(first);
  });

  test('a repeat with an Idempotency-Key is counted once', async () => {
    const first = idOf(await send({ dedup_key: 'both' }).expect(201));
    for (let count = 0; count < 3; count++) {
      const repeat = await send({ dedup_key: 'both' }).set('Idempotency-Key', 'second').expect(200);
      expect([idOf(repeat), repeat.headers.location]).toEqual([first, undefined]);
    }
    expect((await readMessage(owner, first)).repeats).toBe(1);
  });

  test('a rejected message does not use its dedup_key', async () => {
    await send({ dedup_key: 'refused', handler_ids: '2147483647' }).expect(400);
    await send({ dedup_key: 'refused' }).expect(201);
  });

  test('fifty concurrent requests with one dedup_key create one message', async () => {
    for (const key of ['fifty', 'fifty-more']) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => untilServed(() => send({ dedup_key: key }))));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
      expect(new Set(answers.map(idOf)).size).toBe(1);
      expect((await readMessage(owner, idOf(answers[0]))).repeats).toBe(49);
    }
  });

  (onMysql ? test : test.skip)('concurrent requests with one dedup_key to two processes create one message', async () => {
    const other = await TestApplication.start({ ...database().env, DELIVERY_CONCURRENCY: '0' });
    try {
      const there = await other.createKey(owner.id);
      for (const key of ['p', 'q', 'r']) {
        const sendTo = (account: typeof there) => untilServed(() => send({ dedup_key: key }, account));
        const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => sendTo(index % 2 ? there : owner)));
        expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 39 }, () => 200), 201]);
        expect(new Set(answers.map(idOf)).size).toBe(1);
      }
    } finally {
      await other.stop();
    }
  });

  test.each([
    ...['', 'two words', 'tab\there', 'é', 'x'.repeat(256)].map((value) => ({ dedup_key: value })),
    ...['0', '86401', '1.5', ''].map((value) => ({ dedup_key: 'k', dedup_seconds: value })),
  ])('rejects %j', async (fields) => {
    const name = Object.keys(fields).at(-1)!;
    const refused = await owner.client.send('POST', MESSAGES).send({ text: 'x', ...fields });
    expectErrors(refused, { code: 'invalid_parameter', source: `form.${name}` });
  });

  test('dedup_seconds requires dedup_key', async () => {
    const detail = 'dedup_seconds needs a dedup_key.';
    expectErrors(await send({ dedup_seconds: '60' }), { code: 'invalid_parameter', source: 'form.dedup_seconds', detail });
  });

  test.each(['!', '~', 'x'.repeat(255), `'"\\;--`])('accepts the dedup_key %j', async (key) => {
    await owner.client.send('POST', MESSAGES).send({ text: 'x', dedup_key: key, dedup_seconds: 86_400 }).expect(201);
    await owner.client.send('POST', MESSAGES).send({ text: 'x', dedup_key: key, dedup_seconds: '1' }).expect(200);
  });
});
