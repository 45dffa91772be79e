import { announce, announceService } from '../../src/programs/service/process';

const isTerminal = process.stdout.isTTY;

afterEach(() => Object.assign(process.stdout, { isTTY: isTerminal }));

function printed(isTTY: boolean, print = () => announce('It answers.\n\nTry it:\n', { msg: 'It answers.', example: "curl 'x'" })): string {
  Object.assign(process.stdout, { isTTY });
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  print();
  const text = write.mock.calls.map(([each]) => String(each)).join('');
  write.mockRestore();
  return text;
}

test('a terminal gets text', () => expect(printed(true)).toBe('It answers.\n\nTry it:\n'));

test('anything else gets one line of JSON', () => {
  expect(printed(false)).toMatch(/^{"level":"info","time":"[\d-]+T[\d:.]+Z","msg":"It answers\.","example":"curl 'x'"}\n$/);
});

test('a service is announced with its pages', () => {
  const service = { msg: 'It answers.', url: 'http://localhost:3000' };
  const withConsole = () => announceService({ ...service, hasConsole: true, text: 'Try it.\n', fields: { key: 'fd_' } });
  expect(printed(true, withConsole)).toBe(
    'It answers. (console: http://localhost:3000/console/, API docs: http://localhost:3000/docs)\nTry it.\n',
  );
  const line = '"msg":"It answers.","console":"http://localhost:3000/console/","docs":"http://localhost:3000/docs","key":"fd_"}\n';
  expect(printed(false, withConsole)).toContain(line);
  expect(printed(true, () => announceService({ ...service, hasConsole: false }))).toBe(
    'It answers. (API docs: http://localhost:3000/docs)\n',
  );
});
