import { integer, pick } from './random.mjs';

const BODY_LIMIT = 64 * 1024;
const MEGABYTE = 1024 * 1024;
const TYPES = {
  'multipart/form-data; boundary=frontier': (length) =>
    filled('--frontier\r\nContent-Disposition: form-data; name="host"\r\n\r\n', '\r\n--frontier--\r\n', length),
  'application/x-www-form-urlencoded': (length) => filled('host=', '', length),
  'application/json': (length) => filled('{"host":"', '"}', length),
  '': (length) => filled('', '', length),
};
/** Paths requested first: later responses wait for theirs, and are lost with the connection. */
const PRECEDING_PATHS = ['/api/events?after=latest&wait=10', '/scheduling?api=agendamentos', '/api/domains'];
const ENDINGS = [
  'wait for the answer',
  'send another request behind it',
  'cut the body',
  'leave without the answer',
  'reset in the middle',
  'reset at the end',
];

function filled(head, tail, length) {
  return head + 'a'.repeat(Math.max(0, length - head.length - tail.length)) + tail;
}

/** A POST as pieces of bytes, and how its connection ends: valid and broken bodies of every size, framing and pace. */
export function bodyRequest(random, paths, { key, wrongKey }) {
  const path = pick(random, paths);
  const type = pick(random, Object.keys(TYPES));
  const length = pick(random, [0, integer(random, 1, 300), BODY_LIMIT - 1, BODY_LIMIT, BODY_LIMIT + 1, BODY_LIMIT + MEGABYTE]);
  const authorization = pick(random, [undefined, `Bearer ${key}`, `Bearer ${key}`, `Bearer ${wrongKey}`, 'Bearer x']);
  const framing = pick(random, ['declared', 'chunked', 'chunked with trailers']);
  const piece = pick(random, [1, 1_024, BODY_LIMIT]);
  const ending = pick(random, ENDINGS);
  const before = pick(random, [
    '',
    '',
    Array(integer(random, 1, 40))
      .fill(get(pick(random, PRECEDING_PATHS), key))
      .join(''),
  ]);
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    ...(authorization ? [`Authorization: ${authorization}`] : []),
    ...(type ? [`Content-Type: ${type}`] : []),
    framing === 'declared' ? `Content-Length: ${length}` : 'Transfer-Encoding: chunked',
    ...(framing === 'chunked with trailers' ? ['Trailer: X-Sum'] : []),
  ];
  const body = TYPES[type](length).slice(0, length);
  const whole = [...framed(body, framing, piece)];
  const isCut = ending === 'cut the body' || ending === 'reset in the middle';
  const sent = isCut ? whole.slice(0, integer(random, 0, Math.max(0, whole.length - 1))) : whole;
  const behind = ending === 'send another request behind it' ? [get('/health/live')] : [];
  return {
    kind: `${path}: ${type || 'no type'}, ${length} bytes ${framing} by ${piece}, ${ending}${before ? ', behind others' : ''}`,
    pieces: [`${before}${lines.join('\r\n')}\r\n\r\n`, ...sent, ...behind],
    pauseAfter: pick(random, [Infinity, Infinity, integer(random, 0, 20)]),
    ending,
    patienceMilliseconds: before ? 500 : undefined, // an event wait comes first
    mustAnswer: !isCut && !before && !ending.startsWith('reset') && ending !== 'leave without the answer' && length <= BODY_LIMIT,
  };
}

/** Splits bytes into pieces of this size; after the first hundred, pieces are larger, and bytes far beyond the limit are one piece. */
function* framed(body, framing, size) {
  const frame = (piece) => (framing === 'declared' ? piece : `${piece.length.toString(16)}\r\n${piece}\r\n`);
  const end = Math.min(body.length, BODY_LIMIT + 1_024);
  const atOnce = Math.ceil(end / size / 100);
  for (let at = 0, writes = 0; at < end; writes++) {
    let bytes = '';
    for (let count = writes < 100 ? 1 : atOnce; count > 0 && at < end; count--, at += size)
      bytes += frame(body.slice(at, Math.min(at + size, end)));
    yield bytes;
  }
  if (end < body.length) yield frame(body.slice(end));
  if (framing !== 'declared') yield framing === 'chunked' ? '0\r\n\r\n' : '0\r\nX-Sum: 1\r\n\r\n';
}

function get(path, key) {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${key ? `Authorization: Bearer ${key}\r\n` : ''}\r\n`;
}
