import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Options as SwcOptions, transformFileSync } from '@swc/core';
import { createDatabase, onMysql, type TestDatabase } from './support/database';
import { sendRaw } from './support/raw-request';
import { withServer } from './support/server-process';
import { longTest } from './support/size';

const ROOT = join(__dirname, '..');
const COPIED = ['src', 'ormconfig.ts', 'package.json'];

const COMPILER: SwcOptions = {
  swcrc: false,
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
};

/** A file that the recipe names, and the block of code that stands under its name. */
interface Block {
  file: string;
  language: 'ts' | 'diff';
  content: string;
}

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  database = await createDatabase();
  folder = mkdtempSync(join(tmpdir(), 'frontdesk-extending-'));
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database?.drop();
});

const oneDatabase = onMysql ? longTest : test;

oneDatabase('whoever follows docs/extending.md has a sixth scheduling collection', async () => {
  const recipe = readFileSync(join(ROOT, 'docs', 'extending.md'), 'utf8').split(/^## /m)[2];
  const blocks = blocksOf(recipe);
  expect(blocks.map(({ language }) => language)).toEqual(['ts', 'ts', 'ts', 'diff', 'diff']);
  for (const block of blocks) apply(block);
  build();

  frontdesk('accounts', 'create', 'acme');
  const key = frontdesk('keys', 'create', '--account', 'acme', '--name', 'test').trim();
  importFile('atendentes', 'atendentes_id,atendente_nome,atendente_cargo\n4,João,Barbeiro\n');
  importFile('salas', 'salas_id,sala_nome,sala_disponivel,atendentes_id\n7,Espera,true,4\n9,ÁREA da espera,true,4\n8,Corte,false,4\n');

  const espera = { salas_id: 7, sala_nome: 'Espera', sala_disponivel: true, atendentes_id: 4, atendente_nome: 'João' };
  const area = { ...espera, salas_id: 9, sala_nome: 'ÁREA da espera' };
  await withServer(
    { ...database.env, LOG_LEVEL: 'silent' },
    async (_server, port) => {
      const read = async (path: string): Promise<unknown> => {
        const { text } = await sendRaw(port, { method: 'GET', path, headers: { Authorization: `Bearer ${key}` } });
        return JSON.parse(text);
      };
      expect(await read('/scheduling?api=salas&sala-nome=ESPERA&orderby=sala_nome')).toEqual({ data: [area, espera] });
      expect(await read('/scheduling?api=salas&atendente-nome=joao&orderby=sala-nome&sort=desc')).toEqual({ data: [espera, area] });
      expect(await read('/scheduling?api=salas&salas-id=7')).toEqual({ data: espera });
      expect(await read('/scheduling?api=salas&orderby=cor')).toMatchObject({ errors: [{ code: 'invalid_parameter' }] });
      expect(JSON.stringify(await read('/openapi.json'))).toMatch(/"sala-nome".*"salas-id".*SalasRecord/);
    },
    join(folder, 'dist', 'src', 'main.js'),
  );
});

function blocksOf(recipe: string): Block[] {
  const found = recipe.matchAll(/^`([\w./-]+)`:\n\n```(ts|diff)\n(.*?)^```$/gms);
  return [...found].map(([, file, language, content]) => ({ file, language, content }) as Block);
}

function apply({ file, language, content }: Block): void {
  const path = join(folder, file);
  writeFileSync(path, language === 'ts' ? content : changed(file, readFileSync(path, 'utf8'), content));
}

/** Of each hunk, the lines with a space or a minus are looked for, and give way to those with a space or a plus. */
function changed(file: string, text: string, diff: string): string {
  return diff.split('@@\n').reduce((before, hunk) => {
    const lines = hunk.split('\n').filter(Boolean);
    const linesWith = (signs: string) => lines.filter(([sign]) => signs.includes(sign)).map((line) => `${line.slice(1)}\n`);
    const [old, fresh] = [linesWith(' -').join(''), linesWith(' +').join('')];
    if (before.split(old).length !== 2) throw new Error(`docs/extending.md changes lines that ${file} doesn't have just once:\n${old}`);
    return before.replace(old, () => fresh);
  }, text);
}

/** As the other tests compile the source: without its types, which takes a second where the compiler takes twenty. */
function build(): void {
  const sources = ['ormconfig.ts', ...readdirSync(join(folder, 'src'), { recursive: true }).map((name) => join('src', String(name)))];
  for (const source of sources.filter((name) => name.endsWith('.ts'))) {
    const target = join(folder, 'dist', source.replace(/ts$/, 'js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, transformFileSync(join(folder, source), COMPILER).code);
  }
  cpSync(join(folder, 'package.json'), join(folder, 'dist', 'package.json'));
}

function frontdesk(...args: string[]): string {
  const env = { ...process.env, ...database.env };
  return execFileSync(process.execPath, [join(folder, 'dist', 'src', 'cli.js'), ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

function importFile(collection: string, csv: string): void {
  const file = join(folder, `${collection}.csv`);
  writeFileSync(file, csv);
  frontdesk('import', collection, file, '--account', 'acme');
}
