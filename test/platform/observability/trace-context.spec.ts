import { childOf, parseTraceparent, traceIdOf } from '../../../src/platform/common/trace-context';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test.each([
  [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`],
  [`00-${TRACE}-${PARENT}-00`, `00-${TRACE}-${PARENT}-00`],
  [`00-${TRACE}-${PARENT}-ff`, `00-${TRACE}-${PARENT}-01`],
  [`cc-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`],
  [`cc-${TRACE}-${PARENT}-01-what-comes-later`, `00-${TRACE}-${PARENT}-01`],
])('the traceparent %s is parsed as %s', (given, expected) => {
  expect(parseTraceparent(given)).toBe(expected);
});

test.each([
  undefined,
  '',
  TRACE,
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-1`,
  `00-${TRACE}-${PARENT}-01-more`,
  `00-${TRACE}-${PARENT}-01-`,
  `ff-${TRACE}-${PARENT}-01`,
  `cc-${TRACE}-${PARENT}-01.more`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-0g`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  ` 00-${TRACE}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-01\n`,
  [`00-${TRACE}-${PARENT}-01`],
])('the traceparent %j is malformed', (given) => {
  expect(parseTraceparent(given)).toBeUndefined();
});

test('a child keeps trace id and flags, and has a new parent id', () => {
  const parent = `00-${TRACE}-${PARENT}-01`;
  const children = [childOf(parent), childOf(parent)];
  for (const child of children) expect(parseTraceparent(child)).toBe(child);
  expect(children.map(traceIdOf)).toEqual([TRACE, TRACE]);
  expect(new Set([parent, ...children]).size).toBe(3);
});
