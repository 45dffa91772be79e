import { announce } from '../../src/bootstrap/process';

const isTerminal = process.stdout.isTTY;

afterEach(() => Object.assign(process.stdout, { isTTY: isTerminal }));

function printed(isTTY: boolean): string {
  Object.assign(process.stdout, { isTTY });
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  announce('It answers.\n\nTry it:\n', { msg: 'It answers.', example: "curl 'x'" });
  return write.mock.calls.map(([text]) => String(text)).join('');
}

test('a terminal gets text', () => expect(printed(true)).toBe('It answers.\n\nTry it:\n'));

test('anything else gets one line of JSON', () => {
  expect(printed(false)).toMatch(/^{"level":"info","time":"[\d-]+T[\d:.]+Z","msg":"It answers\.","example":"curl 'x'"}\n$/);
});
