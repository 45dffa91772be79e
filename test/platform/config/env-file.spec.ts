import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../src/platform/config/config';
import { readConfig } from '../../../src/platform/config/read-config';
import { useTemporaryFolder } from '../../support/jest/temporary-folder';

const { path } = useTemporaryFolder();
const before = process.cwd();

beforeEach(() => {
  process.chdir(path());
  jest.replaceProperty(process, 'env', {});
});
afterEach(() => {
  rmSync('.env', { force: true, recursive: true });
  process.chdir(before);
});

/** Writes .env and reads the configuration. */
function startWith(content: string | Buffer) {
  writeFileSync('.env', content);
  return readConfig();
}

function refusalOf(content: string | Buffer): string {
  try {
    startWith(content);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
}

const fileOf = (line: string) => {
  const { database } = startWith(line);
  return database.type === 'sqlite' ? database.file : undefined;
};
const senderOf = (value: string) => startWith(`SMTP_URL=smtp://mail.example.com\nMAIL_FROM=${value}`).channels.smtp?.from;

/** UTF-16 with the higher byte first. */
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('the file .env', () => {
  test.each([
    ['a BOM', '\uFEFFPORT=3001\nHOST=::'],
    ['a BOM before a comment', '\uFEFF# Ours\nPORT=3001\nHOST=::'],
    ['CRLF', 'PORT=3001\r\nHOST=::\r\n'],
    ['CR alone', 'PORT=3001\rHOST=::\r'],
    ['no line end', 'PORT=3001\nHOST=::'],
    ['blanks and empty lines', '\n  PORT = 3001  \n\t\n\tHOST =\t:: \n\n'],
    ['export', 'export PORT=3001\nexport  HOST="::"'],
    ['double quotes', 'PORT="3001"\nHOST=" :: "'],
    ['single quotes', "PORT='3001'\nHOST='::'"],
    ['backticks', 'PORT=`3001`\nHOST=`::`'],
    ['comments after quoted values', 'PORT="3001" # not "3000"\nHOST=\'::\'\t#all\n  # PORT=3002\n#HOST=x'],
    ['variables of other programs', 'PORT=3001\nspring.datasource.url=x\nmy-name=y\nHOST=::\n__proto__=1'],
    ['a variable given twice', 'PORT=3000\nHOST=::\nPORT=3001'],
  ])('.env may have %s', (_, content) => expect(startWith(content)).toMatchObject({ port: 3001, host: '::' }));

  test('variables of the environment take precedence over .env', () => {
    jest.replaceProperty(process, 'env', { PORT: '3002' });
    expect(startWith('PORT=3001\nHOST=::')).toMatchObject({ port: 3002, host: '::' });
  });

  test('.env may be missing or empty', () => {
    expect(readConfig().port).toBe(3000);
    for (const empty of ['', '\uFEFF', '\n', '# PORT=3001']) expect(startWith(empty).port).toBe(3000);
    expect(startWith('PORT=\nHOST=""')).toMatchObject({ port: 3000, host: '0.0.0.0' });
  });

  test.each([
    ['UTF-16 LE with a BOM', Buffer.from('\uFEFFPORT=3001\r\n', 'utf16le')],
    ['UTF-16 LE', Buffer.from('PORT=3001\r\n', 'utf16le')],
    ['UTF-16 BE with a BOM', utf16be('\uFEFFPORT=3001\r\n')],
    ['UTF-16 BE', utf16be('PORT=3001\r\n')],
    ['Latin-1', Buffer.from('# Recepção\nPORT=3001\n', 'latin1')],
    ['a character cut in half', Buffer.from('PORT=3001\n# Recepç').subarray(0, -1)],
  ])('.env in %s stops the start', (_, content) => {
    expect(refusalOf(content)).toBe('.env is not UTF-8: save it as UTF-8 (PowerShell: Set-Content -Encoding utf8).');
  });

  test('.env as a folder stops the start', () => {
    mkdirSync('.env');
    expect(() => readConfig()).toThrow(new ConfigError(".env can't be read (EISDIR)."));
  });

  test.each([
    'PORT',
    'PORT 3001',
    'PORT: 3001',
    '=3001',
    '3PORT=3001',
    'set PORT=3001',
    '$env:PORT = "3001"',
    '$PORT=3001',
    '\u200BPORT=3001',
    '; PORT=3001',
    '// canary',
    '[section]',
    'PÓRT=3001',
    '-----BEGIN PRIVATE KEY-----',
  ])('the line %s stops the start', (line) => {
    for (const end of ['\n', '\r\n', '\r'])
      expect(refusalOf(['# Ours', 'HOST=::', line, 'also wrong'].join(end))).toBe(
        '.env has an invalid line 3: it must be NAME=value, empty, or a comment that begins with #.',
      );
  });

  test.each(['"canary', "'canary", '`canary', '"', '"canary\\n'])('the value %s without a closing quote stops the start', (value) => {
    expect(refusalOf(`HOST=::\nMAIL_FROM=${value}\nPORT=3001"`)).toBe('.env has an invalid line 2: its value has no closing quote.');
  });
});

describe('a # in a value', () => {
  test.each(['mi#ne', 'mine#', 'm#i#n#e', '##'])('the # in %s is part of the value', (name) => {
    for (const quote of ['', '"', "'", '`']) expect(fileOf(`DATABASE_URL=${quote}sqlite:/${name}${quote}`)).toBe(`/${name}`);
  });

  test('a # after a space is part of a quoted value', () => {
    expect(fileOf('DATABASE_URL="sqlite:/mi #ne" # ours')).toBe('/mi #ne');
  });

  test.each(['sqlite:/mi #ne', '#', '# canary', '#canary', 'canary\t# canary', '"a" b # c', '"a # b" c'])(
    'the unquoted value %s, in which # could start a comment, stops the start',
    (value) => {
      expect(refusalOf(`\nDATABASE_URL=${value}`)).toBe(
        '.env has an invalid line 2: quote the value if # belongs to it; otherwise give the comment a line of its own.',
      );
    },
  );
});

describe('a value in .env', () => {
  test.each([
    ['Front desk <desk@example.com>', 'Front desk <desk@example.com>'],
    ['"Front desk" <desk@example.com>', '"Front desk" <desk@example.com>'],
    [`'"Front desk, 2" <desk@example.com>'`, '"Front desk, 2" <desk@example.com>'],
    ['"Recepção <desk@example.com>"', 'Recepção <desk@example.com>'],
  ])('the value %s is read in full', (value, from) => expect(senderOf(value)).toBe(from));

  test.each(['/a\\new', '/a"b', "/it's", '/a=b', '/$HOME', '/a  b'])('the value %s is read literally', (file) => {
    expect(fileOf(`DATABASE_URL=sqlite:${file}`)).toBe(file);
    const quote = file.includes('"') ? "'" : '"';
    expect(fileOf(`DATABASE_URL=${quote}sqlite:${file}${quote}`)).toBe(file);
  });

  test('all examples and defaults of .env.example are valid values', () => {
    const text = readFileSync(join(before, '.env.example'), 'utf8');
    const [, address, named] = /Sender of mails, such as (\S+) or ([^;]+);/.exec(text) ?? [];
    const [, quoted] = /in single quotes: ('.+')\./.exec(text) ?? [];
    expect([address, named, quoted].map(senderOf)).toEqual([address, named, quoted.slice(1, -1)]);
    expect(startWith(text.replace(/^#((?!TWILIO)[A-Z_]+=\S)/gm, '$1')).port).toBe(3000);
  });
});

test('a secret’s file that is not UTF-8 stops the start', () => {
  const env = { TWILIO_ACCOUNT_SID: 'AC0', TWILIO_AUTH_TOKEN_FILE: path('token') };
  jest.replaceProperty(process, 'env', env);
  writeFileSync(env.TWILIO_AUTH_TOKEN_FILE, '\uFEFFtoken\r\n');
  expect(readConfig().channels.twilio?.token).toBe('token');
  for (const bytes of [Buffer.from('\uFEFFtoken', 'utf16le'), utf16be('token'), Buffer.from('tökén', 'latin1')]) {
    writeFileSync(env.TWILIO_AUTH_TOKEN_FILE, bytes);
    expect(() => readConfig()).toThrow(/^TWILIO_AUTH_TOKEN_FILE names a file that is not UTF-8: save it as UTF-8/);
  }
});
