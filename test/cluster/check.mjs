const DATABASE = 'frontdesk';

/** Compares the nodes' records with the acknowledged writes: which are missing, and which exist twice. */
export async function checkNodes(nodes, { domains, handlers }) {
  const [first, ...others] = await Promise.all(nodes.map(readNode));
  const lost = [
    ...missing(domains, first.domains, 'host'),
    ...missing(handlers, first.handlers, 'name'),
    ...overwritten(domains, first.domains),
  ];
  const doubled = [...twice(first.domains, 'host'), ...twice(first.handlers, 'name')];
  return { lost, doubled, agree: others.every((other) => JSON.stringify(other) === JSON.stringify(first)) };
}

async function readNode(node) {
  // Waits until the node has applied all commits of the others.
  const read = (sql) => node.query(`SET STATEMENT wsrep_sync_wait = 1 FOR ${sql}`, DATABASE);
  return {
    domains: await read('SELECT id, host, custom_index_url FROM domains ORDER BY id'),
    handlers: await read('SELECT id, name FROM notification_handlers ORDER BY id'),
  };
}

function missing(acknowledged, rows, field) {
  const ids = new Map(rows.map((row) => [row[field], row.id]));
  return acknowledged.filter(({ id, ...record }) => id !== undefined && ids.get(record[field]) !== id).map((record) => record[field]);
}

function overwritten(domains, rows) {
  const pages = new Map(rows.map(({ host, custom_index_url }) => [host, custom_index_url]));
  return domains.filter(({ id, host, pages: possible }) => id !== undefined && !possible.includes(pages.get(host))).map(({ host }) => host);
}

function twice(rows, field) {
  const seen = new Set();
  return rows.map((row) => row[field]).filter((value) => seen.has(value) || !seen.add(value));
}
