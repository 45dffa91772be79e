/** A request with exactly these headers. */
export function raw(method, target, lines, body = '') {
  return [`${method} ${target} HTTP/1.1`, ...lines, '', body].join('\r\n');
}
