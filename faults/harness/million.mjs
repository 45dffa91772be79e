import { createWebhooks, MESSAGES } from './deliveries.mjs';
import { DOMAINS } from './client.mjs';

export const HANDLERS = 1_000;
const TIME = '2026-11-01 09:30:00';
/** Inserts finished deliveries, so that nothing is sent. */
const DELIVERIES = `INSERT INTO deliveries
    (account_id, message_id, handler_id, type, lane, status, attempts, tries, next_attempt, is_counted, part, last_datetime, datetime)
  SELECT messages.account_id, messages.id, handlers.id, 'webhook', CONCAT('webhook:', handlers.id), 'delivered', 1, 1, NULL, 0, '', ?, ?
  FROM messages CROSS JOIN notification_handlers handlers ON handlers.account_id = messages.account_id WHERE messages.account_id = ?`;

/** Fills an account with `count` domains, notifications, appointments, and deliveries of messages to 1,000 handlers each. */
export async function fillWithMillions(stage, port, account, count) {
  const { id } = account;
  const rows = (number) => sequence(stage, number);
  const mine = `a${id}`;
  await createWebhooks(
    port,
    account,
    Array.from({ length: HANDLERS }, (_, index) => `https://hooks.example.com/${index}`),
  );
  await stage.query(
    `INSERT INTO messages (account_id, title, text, url, datetime) SELECT ?, '', ${repeated(stage, 4_000)}, '', ? ${rows(count / HANDLERS)}`,
    [id, TIME],
  );
  await stage.query(concatenated(stage, DELIVERIES), [TIME, TIME, id]);
  await stage.query(
    `INSERT INTO domains (account_id, scheme, host, custom_index_url, custom_not_found_url, is_enabled, datetime)
      SELECT ?, 'https://', ${joined(stage, `'${mine}-'`, 'seq', "'.example.com'")}, '', '', 1, ? ${rows(count)}`,
    [id, TIME],
  );
  await stage.query("INSERT INTO campaigns (account_id, name, is_enabled, datetime) VALUES (?, 'all', 1, ?)", [id, TIME]);
  await stage.query(
    `INSERT INTO notifications (account_id, campaign_id, notification_key, name, name_folded, type, settings, is_enabled, datetime)
      SELECT ?, (SELECT MAX(id) FROM campaigns), ${joined(stage, `'${mine}-'`, 'seq')}, ${joined(stage, "'Offer '", 'seq')},
        ${joined(stage, "'offer '", 'seq')}, 'INFORMATIONAL', '{}', 1, ? ${rows(count)}`,
    [id, TIME],
  );
  await fillScheduling(stage, id, count, rows);
}

async function fillScheduling(stage, id, count, rows) {
  const few = Math.min(1_000, count);
  const text = (column, name) => [
    `${column}, ${column}_folded`,
    `${joined(stage, `'${name} '`, 'seq')}, ${joined(stage, `'${name} '`, 'seq')}`,
  ];
  const insert = (table, [columns, values], more = ['', '']) =>
    stage.query(
      `INSERT INTO ${table} (account_id, ${columns}${more[0]}) SELECT ?, ${values}${more[1]} ${rows(table === 'agendamentos' ? count : few)}`,
      [id],
    );
  await insert('servicos', text('servico_nome', 'servico'));
  const [roles, roleValues] = text('atendente_cargo', 'cargo');
  await insert('atendentes', text('atendente_nome', 'atendente'), [`, ${roles}, atendente_diponivel`, `, ${roleValues}, 1`]);
  const [[first], [second]] = [
    await stage.query('SELECT MIN(servicos_id) AS id FROM servicos WHERE account_id = ?', [id]),
    await stage.query('SELECT MIN(atendentes_id) AS id FROM atendentes WHERE account_id = ?', [id]),
  ];
  const [phones, phoneValues] = text('telefone', '11 9');
  await insert('agendamentos', text('nome', 'maria'), [
    `, ${phones}, data_hora, servicos_id, atendentes_id`,
    `, ${phoneValues}, '${TIME}', ${first.id} + seq % ${few}, ${second.id} + seq % ${few}`,
  ]);
}

/** Requests of an ordinary client: every list, filtered, ordered and at deep pages, and a message to all handlers. */
export async function ordinaryRequests(stage, count, { id }) {
  const [{ message, handler }] = await stage.query(
    'SELECT MIN(message_id) AS message, MIN(handler_id) AS handler FROM deliveries WHERE account_id = ?',
    [id],
  );
  const middle = Math.ceil(count / 2_000);
  const scheduling = (query) => `/scheduling?api=agendamentos&${query}`;
  const lists = [
    `/api/deliveries?message_id=${message}`,
    `/api/deliveries?handler_id=${handler}`,
    '/api/deliveries?status=failed',
    '/api/deliveries?status=delivered&results_per_page=1000&page=400',
    '/api/deliveries?changed_since=2026-10-01',
    '/api/deliveries?orderby=datetime&sort=desc',
    `/api/deliveries?results_per_page=1000&page=${middle}`,
    '/api/messages?results_per_page=1000',
    '/api/messages?orderby=datetime&results_per_page=1000',
    `${DOMAINS}?page=1`,
    `${DOMAINS}?results_per_page=1000&page=${middle}`,
    `${DOMAINS}?host=nowhere`,
    `${DOMAINS}?host=9&orderby=host`,
    `${DOMAINS}?orderby=host&results_per_page=1000&page=${middle}`,
    `${DOMAINS}?is_enabled=0`,
    '/api/notifications?name=offer%209',
    '/api/notifications?type=INFORMATIONAL&sort=desc',
    `/api/notifications?orderby=name&results_per_page=1000&page=${middle}`,
    scheduling('nome=maria%2099&page=1'),
    scheduling('nome=nowhere'),
    scheduling('nome=maria&orderby=nome&page=100'),
    scheduling('nome=maria&page=100'),
    scheduling(`orderby=data-hora&results_per_page=1000&page=${middle}`),
    scheduling('orderby=servico-nome&page=30'),
    scheduling('data-hora=2026-11-01&page=2'),
    scheduling('servico-nome=servico%2077'),
    scheduling('nome=maria%201'),
    scheduling(''),
  ];
  return [...lists.map((path) => ({ method: 'GET', path })), { method: 'POST', path: MESSAGES, form: { text: 'to all of them' } }];
}

function sequence({ name }, count) {
  if (name === 'mariadb') return `FROM seq_1_to_${count}`;
  return `FROM (WITH RECURSIVE numbers (seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM numbers WHERE seq < ${count}) SELECT seq FROM numbers)`;
}

function joined({ name }, ...parts) {
  return name === 'mariadb' ? `CONCAT(${parts.join(', ')})` : `(${parts.join(' || ')})`;
}

function concatenated({ name }, sql) {
  return name === 'mariadb' ? sql : sql.replace("CONCAT('webhook:', handlers.id)", "'webhook:' || handlers.id");
}

function repeated({ name }, length) {
  return name === 'mariadb' ? `REPEAT('text ', ${length / 5})` : `REPLACE(HEX(ZEROBLOB(${length / 5})), '00', 'text ')`;
}
