/** A request with these headers and no others, whatever they are. */
export function raw(method, target, lines, body = '') {
  return [`${method} ${target} HTTP/1.1`, ...lines, '', body].join('\r\n');
}
