import { standardOutput } from '../../../src/platform/observability/standard-output';
import { announceService } from '../../../src/programs/server/process';

const isTerminal = process.stdout.isTTY;

afterEach(() => Object.assign(process.stdout, { isTTY: isTerminal }));

function printed(isTTY: boolean, print: () => void): string {
  Object.assign(process.stdout, { isTTY });
  const write = jest.spyOn(standardOutput, 'write').mockReturnValue();
  print();
  const text = write.mock.calls.map(([each]) => String(each)).join('');
  write.mockRestore();
  return text;
}

test('announceService() prints text on a terminal and a line of JSON elsewhere', () => {
  const service = { msg: 'It answers.', url: 'http://localhost:3000' };
  const withConsole = () => announceService({ ...service, hasConsole: true, text: 'Try it.\n', fields: { key: 'fd_' } });
  expect(printed(true, withConsole)).toBe(
    'It answers. (console: http://localhost:3000/console/, API docs: http://localhost:3000/docs)\nTry it.\n',
  );
  expect(JSON.parse(printed(false, withConsole))).toEqual({
    level: 'info',
    time: expect.stringMatching(/^[\d-]+T[\d:.]+Z$/) as string,
    msg: 'It answers.',
    key: 'fd_',
    console: 'http://localhost:3000/console/',
    docs: 'http://localhost:3000/docs',
  });
  expect(printed(true, () => announceService({ ...service, hasConsole: false }))).toBe(
    'It answers. (API docs: http://localhost:3000/docs)\n',
  );
});
