import { randomUUID } from 'node:crypto';

const DOMAIN = 'id, scheme, host, custom_index_url, is_enabled, last_datetime, datetime';
const AUDIT = `INSERT INTO events (datetime, account_id, key_id, action, record, record_id, request_id, is_audited, is_by_service, data, host)
  VALUES (?, ?, ?, ?, ?, ?, ?, 1, 0, ?, (SELECT host FROM domains WHERE id = ?))`;
const VERIFICATION = `INSERT INTO domain_verifications (account_id, domain_id, host, status, is_by_operator, started, checks, due, misses, problems)
  SELECT account_id, id, host, 'pending', 0, ?, 0, ?, 0, '[]' FROM domains WHERE id = ?`;
const NOTIFICATION = 'id, campaign_id, notification_key, name, type, settings, is_enabled, last_datetime, datetime';
const CHANGEABLE = ['scheme', 'host', 'custom_index_url', 'custom_not_found_url'];

/** The lists by path: a table, its columns, and a function that converts a row to a record. */
export const LISTS = {
  '/api/domains': { table: 'domains', columns: DOMAIN, recordOf: domainOf },
  '/api/notifications': { table: 'notifications', columns: NOTIFICATION, recordOf: notificationOf },
};

/** Two statements, in parallel if the database has more than one connection. */
export async function listPage(database, { table, columns, recordOf }, accountId, page, size) {
  const [[{ total }], rows] = await Promise.all([
    database.rows(`SELECT COUNT(*) AS total FROM ${table} WHERE account_id = ?`, [accountId]),
    database.rows(`SELECT ${columns} FROM ${table} WHERE account_id = ? ORDER BY id LIMIT ? OFFSET ?`, [
      accountId,
      size,
      (page - 1) * size,
    ]),
  ]);
  return { total, records: rows.map(recordOf) };
}

export async function readDomain(database, accountId, id) {
  const [row] = await database.rows(`SELECT ${DOMAIN} FROM domains WHERE account_id = ? AND id = ?`, [accountId, id]);
  return row && domainOf(row);
}

export function createDomain(database, accountId, { scheme = 'https://', host, custom_index_url = '', custom_not_found_url = '' }) {
  return database.insert(
    `INSERT INTO domains (account_id, scheme, host, custom_index_url, custom_not_found_url, is_enabled, datetime)
     VALUES (?, ?, ?, ?, ?, 1, ?)`,
    [accountId, scheme, host, custom_index_url, custom_not_found_url, timestamp()],
  );
}

export async function updateDomain(database, accountId, id, fields) {
  const names = CHANGEABLE.filter((name) => name in fields);
  const sets = [...names, 'last_datetime'].map((name) => `${name} = ?`).join(', ');
  const values = [...names.map((name) => fields[name]), timestamp()];
  return (await database.change(`UPDATE domains SET ${sets} WHERE account_id = ? AND id = ?`, [...values, accountId, id])) > 0;
}

/** A write and the rows that the service writes with it, in one transaction. `write` returns the id, or nothing. */
export function audited(database, accountId, action, write) {
  return database.transaction(async (statements) => {
    const id = await write(statements);
    if (!id) return undefined;
    const now = Date.now();
    if (action === 'create') await statements.insert(VERIFICATION, [now, now, id]);
    const [data, changed] = action === 'update' ? ['{"changed":["custom_index_url"]}', id] : [null, null];
    await statements.insert(AUDIT, [timestamp(), accountId, 1, action, 'domain', id, randomUUID(), data, changed]);
    await statements.insert(changeOfList(database), [accountId, ...(action === 'create' ? [1, 0] : [0, 1])]);
    return id;
  });
}

function changeOfList({ shard, addUp }) {
  return `INSERT INTO list_changes (account_id, list, shard, inserted, deleted, updated, uncounted)
    VALUES (?, 'domains', ${shard}, ?, 0, ?, 0) ${addUp}`;
}

/** One statement, without batches. */
export function listAgendamentos(database, accountId, nome) {
  return database.rows(
    `SELECT agendamentos.agendamento_id, agendamentos.nome, agendamentos.telefone, agendamentos.data_hora,
            agendamentos.servicos_id, servicos.servico_nome, agendamentos.atendentes_id, atendentes.atendente_nome
     FROM agendamentos
     ${database.orderedJoin} servicos ON servicos.servicos_id = agendamentos.servicos_id
     ${database.orderedJoin} atendentes ON atendentes.atendentes_id = agendamentos.atendentes_id
     WHERE agendamentos.account_id = ? AND agendamentos.nome_folded LIKE ?
     ORDER BY agendamentos.agendamento_id ASC`,
    [accountId, `%${nome.toLowerCase()}%`],
  );
}

function domainOf(row) {
  return { ...row, is_enabled: row.is_enabled === 1 };
}

function notificationOf(row) {
  return { ...row, settings: JSON.parse(row.settings), is_enabled: row.is_enabled === 1 };
}

function timestamp() {
  return new Date().toISOString().slice(0, 19).replace('T', ' ');
}
