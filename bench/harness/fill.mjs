const TIME = '2026-01-01 00:00:00';
const NAMES = ['Ana', 'Bruno', 'Carla', 'Diego', 'Elisa', 'Fabio', 'Gina', 'Hugo', 'Iris', 'Lucas'];
const SERVICOS = 20;
const ATENDENTES = 50;
const CAMPAIGNS = 10;
const RECEIVERS = 10;
const HANDLERS = 100;
/** The tables that have rows of a delivery. */
export const DELIVERIES = ['messages', 'deliveries', 'delivery_attempts', 'events'];
const TABLES = ['domains', 'domain_verifications', 'campaigns', 'notifications', 'servicos', 'atendentes', 'agendamentos'];

const DISPLAY = { display_duration: 8, display_position: 'bottom_left', display_close_button: true, url: 'https://example.com/offers/{n}' };
const INFORMATIONAL = { title: 'Primeiro corte com 20% de desconto', description: 'Válido até domingo, só com hora marcada.', ...DISPLAY };
const COUPON = { title: 'Agende pelo celular', coupon_code: 'PINHEIROS20', ...DISPLAY };
const COUNTDOWN = { title: 'Pai e filho juntos', end_date: '2027-08-31 23:59:59', colors: ['#1a1a1a', '#ffffff'], ...DISPLAY };

/** Matches one record in ten. */
export const NAME_FILTER = 'carla';

/** Fills the tables with SQL that every database accepts, and returns the domain ids of each account. */
export async function fill(database, accounts, { sizes, agendamentos }) {
  const counts = { ...sizes, changing: sizes.medium, growing: sizes.small };
  for (const [name, count] of Object.entries(counts)) {
    Object.assign(accounts[name], { count }, await fillDomains(database, accounts[name].id, name, count));
  }
  await verifyDomains(database);
  for (const name of ['small', 'medium']) await fillNotifications(database, accounts[name].id, sizes[name]);
  for (const [name, count] of Object.entries({ small: sizes.small, medium: agendamentos, large: sizes.large })) {
    accounts[name].agendamentos = count;
    await fillScheduling(database, accounts[name].id, count);
  }
  await database.settle(TABLES);
}

async function fillDomains(database, accountId, name, count) {
  await insert(database, 'domains', count, {
    account_id: `${accountId}`,
    scheme: `'https://'`,
    host: `concat('www', n, '.${name}.example.com')`,
    custom_index_url: `CASE WHEN n % 2 = 0 THEN concat('https://example.com/welcome/', n) ELSE '' END`,
    custom_not_found_url: `''`,
    is_enabled: `CASE WHEN n % 10 = 0 THEN 0 ELSE 1 END`,
    last_datetime: `CASE WHEN n % 3 = 0 THEN '${TIME}' END`,
    datetime: `'${TIME}'`,
  });
  const [ids] = await database.query('SELECT MIN(id) AS first, MAX(id) AS last FROM domains WHERE account_id = ?', [accountId]);
  return { first: ids.first, last: ids.last };
}

/** Creates verifications, which the service would otherwise create during the measurement. */
export async function verifyDomains(database) {
  await database.query(`INSERT INTO domain_verifications
    (account_id, domain_id, host, status, is_by_operator, started, checks, misses, problems)
    SELECT account_id, id, host, 'verified', 1, 0, 1, 0, '[]' FROM domains`);
}

async function fillNotifications(database, accountId, count) {
  const account_id = `${accountId}`;
  await insert(database, 'campaigns', CAMPAIGNS, { account_id, name: `concat('Campaign ', n)`, is_enabled: '1', datetime: `'${TIME}'` });
  await insert(database, 'notifications', count, {
    account_id,
    campaign_id: `(SELECT MIN(id) FROM campaigns WHERE account_id = ${accountId}) + n % ${CAMPAIGNS}`,
    notification_key: `lower(hex(concat(1000000000000000 + ${accountId} * 10000000 + n)))`,
    ...text('name', `concat('Weekend offer ', n)`),
    type: `CASE n % 3 WHEN 0 THEN 'INFORMATIONAL' WHEN 1 THEN 'COUPON' ELSE 'COUNTDOWN_COLLECTOR' END`,
    settings: `CASE n % 3 WHEN 0 THEN ${settingsText(INFORMATIONAL)} WHEN 1 THEN ${settingsText(COUPON)} ELSE ${settingsText(COUNTDOWN)} END`,
    is_enabled: `CASE WHEN n % 10 = 0 THEN 0 ELSE 1 END`,
    last_datetime: `CASE WHEN n % 3 = 0 THEN '${TIME}' END`,
    datetime: `'${TIME}'`,
  });
}

/** Settings as an import stores them, numbered. */
function settingsText(settings) {
  return `concat('${JSON.stringify(settings).replace('{n}', `', n, '`)}')`;
}

async function fillScheduling(database, accountId, count) {
  const account_id = `${accountId}`;
  await insert(database, 'servicos', SERVICOS, { account_id, ...text('servico_nome', `concat('Corte ', n)`) });
  await insert(database, 'atendentes', ATENDENTES, {
    account_id,
    ...text('atendente_nome', `concat('Atendente ', n)`),
    ...text('atendente_cargo', `'Barbeiro'`),
    atendente_diponivel: '1',
  });
  await insert(database, 'agendamentos', count, {
    account_id,
    ...text('nome', `concat(CASE n % 10 ${NAMES.map((name, digit) => `WHEN ${digit} THEN '${name}'`).join(' ')} END, ' Souza ', n)`),
    ...text('telefone', `concat('(11) 9', 10000000 + n)`),
    data_hora: `concat('2026-', 10 + n % 3, '-', 10 + n % 19, ' ', 10 + n % 7, ':30:00')`,
    servicos_id: `(SELECT MIN(servicos_id) FROM servicos WHERE account_id = ${accountId}) + n % ${SERVICOS}`,
    atendentes_id: `(SELECT MIN(atendentes_id) FROM atendentes WHERE account_id = ${accountId}) + n % ${ATENDENTES}`,
  });
}

/** Creates deliveries, with a message per ten, and an attempt and an event each. One in a hundred waits for its second attempt. */
export async function fillDeliveries(database, accountId, count) {
  const [account_id, datetime] = [`${accountId}`, `'${TIME}'`];
  const handler_id = `1 + n % ${HANDLERS}`;
  const message_id = `1 + (n - 1 - (n - 1) % ${RECEIVERS}) / ${RECEIVERS}`;
  const either = (waiting, ended) => `CASE WHEN n % 100 = 0 THEN ${waiting} ELSE ${ended} END`;
  const outcome = either(`'timeout'`, `'delivered'`);
  await insert(database, 'notification_handlers', HANDLERS, {
    ...{ account_id, type: `'webhook'`, ...text('name', `concat('Receiver ', n)`), settings: `''`, is_enabled: '1', datetime },
  });
  await insert(database, 'messages', Math.ceil(count / RECEIVERS), {
    ...{ account_id, title: `concat('Backup ', n, ' failed')`, text: `concat('The backup of shop ', n, ' failed at 3 a.m.')` },
    ...{ url: `concat('https://status.example.com/backups/', n)`, datetime },
  });
  await insert(database, 'deliveries', count, {
    ...{ account_id, message_id, handler_id, type: `'webhook'`, lane: `concat('webhook:', ${handler_id})`, part: `'5f0c1e9ab27d'` },
    ...{ status: either(`'pending'`, `'delivered'`), attempts: '1', tries: '1', is_counted: '1', outcome, datetime },
    ...{ next_attempt: either('1767225600000', 'NULL'), started: '1767225600000 + n', last_datetime: datetime },
  });
  await insert(database, 'delivery_attempts', count, {
    ...{ account_id, delivery_id: 'n', number: '1', datetime, duration_ms: 'n % 900', outcome, status: '200', detail: `''` },
  });
  await insert(database, 'events', count, {
    ...{
      datetime,
      account_id,
      action: `'deliver'`,
      record: `'delivery'`,
      record_id: 'n',
      number: 'n',
      is_audited: '0',
      is_by_service: '1',
    },
    data: `concat('{"message_id":', ${message_id}, ',"handler_id":', ${handler_id}, ',"outcome":"delivered"}')`,
  });
  await database.settle(DELIVERIES);
}

/** A text and its search form, which for ASCII is lower case. */
function text(name, expression) {
  return { [name]: expression, [`${name}_folded`]: `lower(${expression})` };
}

/** `count` rows of expressions of `n`, which counts from 1. */
function insert(database, table, count, columns) {
  return database.query(
    `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
     WITH RECURSIVE seq(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM seq WHERE n < ${count})
     SELECT ${Object.values(columns).join(', ')} FROM seq`,
  );
}
