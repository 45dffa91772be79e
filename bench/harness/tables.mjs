const OWN = 'frontdesk';
/** This server is measured on separate workloads. */
const TWO_WORKERS = 'two-workers';
/** The workloads in the summary, in order; the others are variants of these. */
const SHOWN = [
  ...['list-25', 'list-1000', 'notifications-25', 'notifications-1000', 'read', 'create', 'update', 'mixed', 'scheduling'],
  ...['texts-none', 'texts-few', 'small-first', 'small-middle', 'large-first', 'large-middle', 'large-last'],
  ...['order-nome-small-any', 'order-nome-large-first', 'order-nome-large-middle', 'order-nome-large-last'],
];

/** The service's own figures, then its rate relative to each peer's. */
export function summaryTable(works, servers, figures) {
  const peers = servers.map(({ name }) => name).filter((name) => ![OWN, TWO_WORKERS].includes(name));
  const header = ['work', 'connections', 'requests/s', 'p50 / p99, ms', 'CPU, µs', ...peers];
  const shown = SHOWN.flatMap((name) => works.filter((work) => work.name === name));
  const lines = shown.map(({ name, title, connections }) => [
    ...[title, connections, count(figures.median(name, OWN, 'rate'))],
    ...[quantiles(figures, name, OWN), count(figures.median(name, OWN, 'cpu'))],
    ...peers.map((peer) => times(figures.ratio('rate', [name, OWN], [name, peer]))),
  ]);
  return rows(header, lines);
}

/** Requests per second: the service's, then each peer's with the service's ratio to it. More than 1× is faster than the peer. */
export function ratesTable(works, servers, figures) {
  return table(works, servers, figures, 'rate', (work, server) => count(figures.median(work, server, 'rate')));
}

/** p50 / p99 in milliseconds, with the ratio of the p50. Less than 1× is faster than the peer. */
export function latenciesTable(works, servers, figures) {
  return table(works, servers, figures, 'p50', (work, server) => quantiles(figures, work, server));
}

/** CPU time of the server process per request, in microseconds. Less than 1× is cheaper; other load on the machine hardly matters. */
export function cpuTable(works, servers, figures) {
  return table(works, servers, figures, 'cpu', (work, server) => count(figures.median(work, server, 'cpu')));
}

/** Duration of the walk through all pages, by server. */
export function walkTable(work, servers, figures) {
  const lines = servers.flatMap(({ name }) => {
    const seconds = (what) => (figures.median(work.name, name, what) / 1000).toFixed(2);
    const [pages, part] = ['pages', 'part'].map((what) => figures.median(work.name, name, what));
    if (pages === undefined) return [];
    return [`| ${name} | ${pages} | ${seconds('whole')} s | ${part} pages: ${seconds('first')} s | ${part} pages: ${seconds('last')} s |`];
  });
  return ['| server | pages | in all | the first | the last |', '|---|---|---|---|---|', ...lines].join('\n');
}

function table(works, servers, figures, what, cell) {
  const header = ['work', 'connections', ...servers.map(({ name }) => name)];
  const lines = works.map(({ name, title, connections }) => [
    title,
    connections,
    ...servers.map((server) => {
      if (figures.median(name, server.name, what) === undefined) return '–';
      const ratio = server.name === OWN ? undefined : figures.ratio(what, [name, OWN], [name, server.name]);
      return cell(name, server.name) + (ratio === undefined ? '' : ` (${times(ratio)})`);
    }),
  ]);
  return rows(header, lines);
}

function quantiles(figures, work, server) {
  return ['p50', 'p99'].map((what) => milliseconds(figures.median(work, server, what))).join(' / ');
}

function rows(header, lines) {
  return [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function times(ratio) {
  return ratio === undefined ? '–' : `${ratio.toFixed(2)}×`;
}

function count(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

function milliseconds(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });
}
